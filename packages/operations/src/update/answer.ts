import { isRecord } from '@baton/protocol';
import { z } from 'zod';
import { objectOrBareList } from '../schema/coercion.ts';
import { MAX_TASKS_PER_ANSWER, taskUpdateSchema } from '../project/index.ts';

/** Changed tasks, each id once: with two entries it is undefined which one applies. */
export const updateAnswerSchema = objectOrBareList(
  'tasks',
  z.object({
    tasks: z
      .array(taskUpdateSchema)
      .max(MAX_TASKS_PER_ANSWER)
      .superRefine((tasks, context) => {
        const seen = new Set<number>();
        for (const [at, { id }] of tasks.entries()) {
          if (seen.has(id))
            context.addIssue({ code: 'custom', path: [at, 'id'], message: `task ${id} stands here twice` });
          seen.add(id);
        }
      }),
  }),
);

/** The one task `asked`, bare or as the only one of a list. What names another task is about that one: it is asked for again. */
export const updateTaskAnswerSchema = (asked: number) =>
  z.preprocess(
    (value) => {
      const list = Array.isArray(value)
        ? value
        : isRecord(value)
          ? (value['tasks'] ?? value['task'])
          : undefined;
      if (isRecord(list)) return list;
      return Array.isArray(list) && list.length === 1 ? list[0] : value;
    },
    taskUpdateSchema.extend({ id: idOf(asked) }).superRefine(({ id }, context) => {
      if (id === asked) return;
      const message = `task ${asked} was asked about, not task ${id}`;
      context.addIssue({ code: 'custom', path: ['id'], message });
    }),
  );

/** Whoever builds an answer from the schema is told which id it is. */
function idOf(asked: number) {
  return taskUpdateSchema.shape.id.meta({
    type: 'integer',
    const: asked,
    description: 'The id of the task, as it was given',
  });
}
