import { isRecord } from '@baton/protocol';
import { z } from 'zod';
import { objectOrBareList } from '../schema/coercion.ts';
import { MAX_TASKS_PER_ANSWER, type ProjectTaskUpdate, taskUpdateSchema } from '../project/index.ts';

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

/** The one task, bare or as the only one of a list. */
export const updateTaskAnswerSchema = z.preprocess((value) => {
  const list = Array.isArray(value) ? value : isRecord(value) ? (value['tasks'] ?? value['task']) : undefined;
  if (isRecord(list)) return list;
  return Array.isArray(list) && list.length === 1 ? list[0] : value;
}, taskUpdateSchema);

interface Shown {
  readonly id: number;
  readonly cut?: readonly string[];
  readonly subtasks?: readonly Shown[];
}

/** The update without texts of which the LLM saw only the beginning: it would have lost the rest. */
export function dropTruncatedFields(update: ProjectTaskUpdate, shown: Shown | undefined): ProjectTaskUpdate {
  const { subtasks, ...own } = omit(update, shown?.cut);
  if (subtasks === undefined) return own;
  const parts = new Map(shown?.subtasks?.map((part) => [part.id, part]));
  return {
    ...own,
    subtasks: subtasks.map((part) => (part.isNew ? part : omit(part, parts.get(part.id)?.cut))),
  };
}

function omit<T extends object>(value: T, names: readonly string[] = []): T {
  if (names.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as T;
}
