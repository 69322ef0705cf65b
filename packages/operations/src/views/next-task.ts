import { z } from 'zod';
import { projectRoot, tag } from '../definition/shared-arguments.ts';
import {
  isOpen,
  nextReadyItem,
  openTag,
  type Project,
  taskItemView,
  nothingReadyMessage,
  withoutAttachmentBodies,
} from '../project/index.ts';
import { standaloneSubtaskViewSchema, taskViewSchema } from './task-view.ts';

export const nextTaskInputSchema = z.strictObject({ projectRoot, tag });
type NextTaskInput = z.infer<typeof nextTaskInputSchema>;

export const nextTaskResultSchema = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  task: z.union([taskViewSchema, standaloneSubtaskViewSchema]).nullable(),
  message: z.string(),
});
type NextTaskResult = z.infer<typeof nextTaskResultSchema>;

/**
 * What to work on next, of what is pending or in progress; see `nextReadyItem` for the order.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function nextTask(project: Project | undefined, input: NextTaskInput): NextTaskResult {
  const { tag, tasks } = openTag(project, input.projectRoot, input.tag);
  const next = nextReadyItem(tasks, ({ status }) => isOpen(status));
  if (next === undefined)
    return { projectRoot: input.projectRoot, tag, task: null, message: nothingReadyMessage(tasks) };
  const task = withoutAttachmentBodies(taskItemView(tasks, next));
  return { projectRoot: input.projectRoot, tag, task, message: `Next is ${task.id}: ${task.title}` };
}
