import { z } from 'zod';
import { objectOrBareList } from '../schema/coercion.ts';
import { MAX_TASKS_PER_ANSWER, plannedTaskSchema } from '../project/index.ts';

/** What the LLM is asked for. A bare list of tasks, which some models give, is read as one. */
export const parsePrdAnswerSchema = objectOrBareList(
  'tasks',
  z.object({
    tasks: z.array(plannedTaskSchema).min(1, 'must hold at least one task').max(MAX_TASKS_PER_ANSWER),
    metadata: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('Anything to note about the plan as a whole'),
  }),
);
