import { z } from 'zod';
import { projectRoot, tag, taskId } from '../definition/shared-arguments.ts';
import { booleanOrText, integerOrDigits } from '../schema/coercion.ts';
import {
  type Project,
  requireTask,
  STATUSES,
  storedLength,
  type Task,
  withoutAttachmentBodies,
  openTag,
} from '../project/index.ts';
import { countProgress, progressSchema } from './progress.ts';
import { fitReply } from './reply-room.ts';
import { matchesStatus, parseStatusFilter } from './status-filter.ts';
import { taskViewSchema } from './task-view.ts';

export const getTasksInputSchema = z.strictObject({
  status: z
    .string()
    .max(200)
    .optional()
    .describe(`Only tasks of this status, or of these, separated by commas (${STATUSES.join(', ')})`),
  withSubtasks: booleanOrText('Show subtasks too'),
  limit: integerOrDigits(z.int().min(1).max(1_000))
    .optional()
    .describe('At most so many; without it as many as some 15,000 tokens hold'),
  after: taskId.optional().describe('Only what is listed behind this task: nextAfter of the page before'),
  projectRoot,
  tag,
});
type GetTasksInput = z.infer<typeof getTasksInputSchema>;

export const getTasksResultSchema = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasks: z.array(taskViewSchema),
  stats: progressSchema,
  /** The last task of this page; absent on the last page. */
  nextAfter: z.int().optional(),
});

/**
 * A page of the tasks of a tag, without their details (`get_task` has them), and how far the whole tag is, whatever the
 * filter.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments` for an unknown status.
 */
export function getTasks(
  project: Project | undefined,
  input: GetTasksInput,
): z.infer<typeof getTasksResultSchema> {
  const { tag, tasks } = openTag(project, input.projectRoot, input.tag);
  const filter = parseStatusFilter(input.status);
  const first =
    input.after === undefined
      ? 0
      : tasks.indexOf(requireTask({ tasks }, tag, { task: Number(input.after) })) + 1;
  const rest = tasks.slice(first).filter(matchesStatus(filter));
  const show = (task: Task) => listed(task, input.withSubtasks ?? false);
  const within = readable(rest.slice(0, input.limit));
  const page = input.limit === undefined ? fitReply(within, show) : within.map(show);
  return {
    projectRoot: input.projectRoot,
    tag,
    tasks: page,
    stats: { ...countProgress(tasks), subtasks: countProgress(tasks.flatMap(({ subtasks }) => subtasks)) },
    ...(page.length < rest.length ? { nextAfter: page.at(-1)?.id } : {}),
  };
}

/** How much of the stored JSON of tasks one call reads: with a task more it ends. */
const READ_LENGTH = 262_144;

/** The first of the tasks, one at least, by lengths that are known before they are read. */
function readable(tasks: readonly Task[]): readonly Task[] {
  let length = 0;
  const next = tasks.findIndex((task, at) => (length += storedLength(task)) > READ_LENGTH && at > 0);
  return next === -1 ? tasks : tasks.slice(0, next);
}

function listed({ details: _left, subtasks, ...task }: Task, withSubtasks: boolean) {
  if (!withSubtasks) return withoutAttachmentBodies(task);
  return withoutAttachmentBodies({
    ...task,
    subtasks: subtasks.map(({ details: _out, ...subtask }) => subtask),
  });
}
