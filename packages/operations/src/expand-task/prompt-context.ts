import type { ReadLimits } from '@baton/engine';
import {
  DEFAULT_SUBTASK_COUNT,
  LEAST_TASK,
  type Project,
  requireRoom,
  requireTask,
  type SeenItems,
  seenTasksAndSubtasks,
  type Task,
  taskDoneError,
  openTag,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { type ProjectContext, readProjectContext } from '../project-context/project-context.ts';

/** What splitting a task needs of the project; it is journaled. */
export interface ExpandContext {
  readonly tag: string;
  readonly task: ReturnType<typeof detailedTaskExcerpt>;
  readonly seen?: SeenItems | undefined;
  /** How many subtasks to make; 0 leaves it to the LLM. */
  readonly count: number;
  /** The number of the first of them. */
  readonly firstId: number;
  /** How the complexity report says to split it, and how it judged the task. */
  readonly hint?: string | undefined;
  readonly judgement?: string | undefined;
  readonly rules?: string | undefined;
  readonly context?: ProjectContext | undefined;
}

interface ExpandRequest {
  readonly id: number;
  readonly num?: number | undefined;
  readonly force: boolean;
}

/**
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `project_task_done`, `limit_size`.
 */
export function readExpandContext(
  project: Project | undefined,
  projectRoot: string,
  tagWish: string | undefined,
  { id, num, force }: ExpandRequest,
  limits: ReadLimits,
): ExpandContext {
  const { existing, tag, tasks } = openTag(project, projectRoot, tagWish);
  const task = requireTask({ tasks }, tag, { task: id });
  if (task.status === 'done') throw taskDoneError(tag, `${id}`);
  const subtasks = [{ id: 1, ...LEAST_TASK }];
  requireRoom(existing, {
    command: 'add_subtasks',
    id,
    mode: force ? 'replace_pending' : 'append',
    subtasks,
    tag,
  });
  const stays = force ? task.subtasks.filter(({ status }) => status !== 'pending') : task.subtasks;
  const known = existing.reports.get(tag)?.complexityAnalysis.find(({ taskId }) => taskId === id);
  const query = `${task.title} ${task.description}`;
  const wish = { tag, about: [id], dependencies: task.dependencies, query };
  const { rules, context } = readProjectContext(existing, wish, limits);
  return {
    tag,
    task: detailedTaskExcerpt({ ...task, subtasks: stays }),
    seen: seenTasksAndSubtasks([task]),
    count: num ?? countFor(existing, tag, id),
    firstId: Math.max(0, ...stays.map(({ id }) => id)) + 1,
    hint: excerpt(known?.expansionPrompt, 2_000),
    judgement:
      known && `Complexity ${known.complexityScore} of 10. ${excerpt(known.reasoning, 2_000) ?? ''}`.trim(),
    rules,
    context,
  };
}

/** As the complexity report recommends, or else the default. */
function countFor(project: Project, tag: string, id: Task['id']): number {
  const entry = project.reports.get(tag)?.complexityAnalysis.find(({ taskId }) => taskId === id);
  return entry === undefined ? DEFAULT_SUBTASK_COUNT : entry.recommendedSubtasks || DEFAULT_SUBTASK_COUNT;
}
