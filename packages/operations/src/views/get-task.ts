import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, tag } from '../definition/shared-arguments.ts';
import {
  formatTaskRef,
  parseTaskRef,
  type Project,
  requireProject,
  requireSubtask,
  requireTag,
  requireTask,
  resolveTag,
} from '../project/index.ts';
import { matchesStatus, parseStatusFilter } from './status-filter.ts';
import { standaloneSubtaskViewSchema, taskViewSchema } from './task-view.ts';

export const getTaskInputSchema = z.strictObject({
  id: z
    .preprocess((id) => (Number.isInteger(id) ? String(id) : id), z.string().min(1).max(100))
    .meta({ type: ['string', 'integer'] })
    .describe('One task ("5") or one subtask ("5.2")'),
  status: z
    .string()
    .max(200)
    .optional()
    .describe('Of its subtasks, show only those of this status, or of these, separated by commas'),
  projectRoot,
  tag,
});
export type GetTaskInput = z.infer<typeof getTaskInputSchema>;

export const getTaskResultSchema = z.object({ task: z.union([taskViewSchema, standaloneSubtaskViewSchema]) });

/**
 * One task with all that is known of it, or one subtask with the task that it belongs to.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments`.
 */
export function getTask(
  project: Project | undefined,
  input: GetTaskInput,
): z.infer<typeof getTaskResultSchema> {
  const existing = requireProject(project, input.projectRoot);
  const name = resolveTag(existing, input.tag);
  const tag = requireTag(existing, name);
  const ref = parseTaskRef(input.id);
  if (ref === undefined) {
    const problem = `id: '${input.id}' is not one task ("5") or one subtask ("5.2"); get_tasks lists several.`;
    throw new BatonError('invalid_arguments', problem, { field: 'id' });
  }
  const task = requireTask(tag, name, ref);
  if (ref.subtask === undefined) {
    return {
      task: { ...task, subtasks: task.subtasks.filter(matchesStatus(parseStatusFilter(input.status))) },
    };
  }
  const { id, title, status } = task;
  const subtask = requireSubtask(task, name, ref);
  return { task: { ...subtask, id: formatTaskRef(ref), parentTask: { id, title, status } } };
}
