import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { shownIdTextSchema, projectRoot, tag } from '../definition/shared-arguments.ts';
import {
  allItemIds,
  formatTaskRef,
  parseTaskRef,
  parseTaskRefs,
  type Project,
  requireSubtask,
  requireTask,
  type TaskRef,
  withoutAttachmentBodies,
  openTag,
} from '../project/index.ts';
import { fitReply } from './reply-room.ts';
import { matchesStatus, parseStatusFilter } from './status-filter.ts';
import { standaloneSubtaskViewSchema, taskViewSchema } from './task-view.ts';

export const getTaskInputSchema = z.strictObject({
  id: shownIdTextSchema(10_000).describe(
    'One task ("5") or one subtask ("5.2"), or several, separated by commas',
  ),
  status: z
    .string()
    .max(200)
    .optional()
    .describe('Of its subtasks, show only those of this status, or of these, separated by commas'),
  projectRoot,
  tag,
});
type GetTaskInput = z.infer<typeof getTaskInputSchema>;

const shownItem = z.union([taskViewSchema, standaloneSubtaskViewSchema]);

export const getTaskResultSchema = z.object({
  /** Of one id. */
  task: shownItem.optional(),
  /** Of several: those that there are, in the order in which they were asked for. */
  tasks: z.array(shownItem).optional(),
  notFound: z.array(z.string()).optional(),
  /** What a reply has no room for: to be asked for in another call. */
  notShown: z.array(z.string()).optional(),
});
type ShownItem = z.infer<typeof shownItem>;

/**
 * One task with all that is known of it, or one subtask with the task that it belongs to.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments`.
 */
export function getOneTask(project: Project | undefined, input: GetTaskInput): ShownItem {
  const ref = parseTaskRef(input.id);
  if (ref !== undefined) return finder(project, input).show(ref);
  const problem = `id: '${input.id.slice(0, 40)}' is not one task ("5") or one subtask ("5.2").`;
  throw new BatonError('invalid_arguments', problem, { field: 'id' });
}

/**
 * The same of one id or of several. Of several, those that do not exist are listed beside those that do, as
 * claude-task-master leaves them out; when none exists it is an error.
 */
export function getTask(
  project: Project | undefined,
  input: GetTaskInput,
): z.infer<typeof getTaskResultSchema> {
  const refs = new Map(parseTaskRefs(input.id).map((ref) => [formatTaskRef(ref), ref]));
  const { known, show } = finder(project, input);
  const [first] = refs.values();
  if (refs.size === 1) return { task: show(first as TaskRef) };
  const notFound = [...refs.keys()].filter((id) => !known().has(id));
  if (notFound.length === refs.size) show(first as TaskRef);
  const there = [...refs].filter(([id]) => known().has(id));
  const tasks = fitReply(there, ([, ref]) => show(ref));
  const notShown = there.slice(tasks.length).map(([id]) => id);
  return {
    tasks,
    ...(notFound.length > 0 ? { notFound } : {}),
    ...(notShown.length > 0 ? { notShown } : {}),
  };
}

function finder(project: Project | undefined, input: GetTaskInput) {
  const { tag, tasks } = openTag(project, input.projectRoot, input.tag);
  const isWanted = matchesStatus(parseStatusFilter(input.status));
  let ids: ReadonlySet<string> | undefined;
  return {
    known: () => (ids ??= allItemIds(tasks)),
    show: (ref: TaskRef): ShownItem => {
      const task = requireTask({ tasks }, tag, ref);
      if (ref.subtask === undefined)
        return withoutAttachmentBodies({ ...task, subtasks: task.subtasks.filter(isWanted) });
      const { id, title, status } = task;
      const subtask = requireSubtask(task, tag, ref);
      return withoutAttachmentBodies({
        ...subtask,
        id: formatTaskRef(ref),
        parentTask: { id, title, status },
      });
    },
  };
}
