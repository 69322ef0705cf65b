import { z } from 'zod';
import { projectRoot, tag } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import {
  type Project,
  requireProject,
  requireTag,
  resolveTag,
  STATUSES,
  type Task,
} from '../project/index.ts';
import { countProgress, progressSchema } from './progress.ts';
import { matchesStatus, parseStatusFilter } from './status-filter.ts';
import { taskViewSchema } from './task-view.ts';

export const getTasksInputSchema = z.strictObject({
  status: z
    .string()
    .max(200)
    .optional()
    .describe(`Only tasks of this status, or of these, separated by commas (${STATUSES.join(', ')})`),
  withSubtasks: booleanOrText('Show subtasks too'),
  projectRoot,
  tag,
});
export type GetTasksInput = z.infer<typeof getTasksInputSchema>;

export const getTasksResultSchema = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasks: z.array(taskViewSchema),
  stats: progressSchema,
});

/**
 * The tasks of a tag, without their details (`get_task` has them), and how far the whole tag is, whatever the filter.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `invalid_arguments` for an unknown status.
 */
export function getTasks(
  project: Project | undefined,
  input: GetTasksInput,
): z.infer<typeof getTasksResultSchema> {
  const existing = requireProject(project, input.projectRoot);
  const name = resolveTag(existing, input.tag);
  const { tasks } = requireTag(existing, name);
  const filter = parseStatusFilter(input.status);
  return {
    projectRoot: input.projectRoot,
    tag: name,
    tasks: tasks.filter(matchesStatus(filter)).map((task) => listed(task, input.withSubtasks ?? false)),
    stats: { ...countProgress(tasks), subtasks: countProgress(tasks.flatMap(({ subtasks }) => subtasks)) },
  };
}

function listed({ details: _left, subtasks, ...task }: Task, withSubtasks: boolean) {
  if (!withSubtasks) return task;
  return { ...task, subtasks: subtasks.map(({ details: _out, ...subtask }) => subtask) };
}
