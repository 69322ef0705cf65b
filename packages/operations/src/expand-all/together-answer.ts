import { z } from 'zod';
import { plannedSubtaskSchema, MAX_SUBTASKS_PER_ANSWER } from '../project/index.ts';
import { objectOrBareList, parseDigits } from '../schema/coercion.ts';

/** What the LLM is asked for when several tasks are split in one request: entries of tasks that were asked about, each once, one at least. */
export function togetherAnswerSchema(ids: readonly number[]) {
  const asked = new Set(ids);
  const expansion = z.object({
    id: z
      .preprocess(
        parseDigits,
        z
          .int()
          .refine((id) => asked.has(id), { error: `must be one of the tasks to split: ${ids.join(', ')}` }),
      )
      .meta({ type: ['integer', 'string'] })
      .describe('The task that is split'),
    subtasks: z
      .array(plannedSubtaskSchema)
      .min(1, 'must hold at least one subtask')
      .max(MAX_SUBTASKS_PER_ANSWER),
  });
  return objectOrBareList(
    'expansions',
    z.object({
      expansions: z
        .array(expansion)
        .min(1, 'must hold an entry for each task')
        .max(ids.length)
        .refine((entries) => new Set(entries.map(({ id }) => id)).size === entries.length, {
          error: 'must hold one entry for each task, and not two',
        }),
    }),
  );
}
