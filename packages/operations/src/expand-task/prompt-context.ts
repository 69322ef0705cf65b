import {
  DEFAULT_SUBTASK_COUNT,
  type Project,
  requireProject,
  requireTag,
  requireTask,
  resolveTag,
  type Task,
  taskDoneError,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { rulesExcerpt } from '../prompt-kit/rules-section.ts';
import { type BriefTaskExcerpt, briefTaskExcerpt, detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';

/** What splitting a task needs of the project; it is journaled. */
export interface ExpandContext {
  readonly tag: string;
  readonly task: ReturnType<typeof detailedTaskExcerpt>;
  /** How many subtasks to make; 0 leaves it to the LLM. */
  readonly count: number;
  /** The number of the first of them. */
  readonly firstId: number;
  /** The tasks that it waits for. */
  readonly needs: readonly BriefTaskExcerpt[];
  readonly hint?: string | undefined;
  readonly rules?: string | undefined;
}

export interface ExpandRequest {
  readonly id: number;
  readonly num?: number | undefined;
  readonly force: boolean;
}

/**
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `project_task_done`.
 */
export function readExpandContext(
  project: Project | undefined,
  projectRoot: string,
  tagWish: string | undefined,
  { id, num, force }: ExpandRequest,
): ExpandContext {
  const existing = requireProject(project, projectRoot);
  const tag = resolveTag(existing, tagWish);
  const { tasks } = requireTag(existing, tag);
  const task = requireTask({ tasks }, tag, { task: id });
  if (task.status === 'done') throw taskDoneError(tag, `${id}`);
  const stays = force ? task.subtasks.filter(({ status }) => status === 'done') : task.subtasks;
  const needed = new Set<unknown>(task.dependencies);
  const known = existing.reports.get(tag)?.complexityAnalysis.find(({ taskId }) => taskId === id);
  return {
    tag,
    task: detailedTaskExcerpt({ ...task, subtasks: stays }),
    count: num ?? countFor(existing, tag, id),
    firstId: Math.max(0, ...stays.map(({ id }) => id)) + 1,
    needs: tasks
      .filter((other) => needed.has(other.id))
      .slice(0, 20)
      .map(briefTaskExcerpt),
    hint: excerpt(known?.expansionPrompt, 2_000),
    rules: rulesExcerpt(existing),
  };
}

/** As the complexity report recommends, or else the default. */
function countFor(project: Project, tag: string, id: Task['id']): number {
  const entry = project.reports.get(tag)?.complexityAnalysis.find(({ taskId }) => taskId === id);
  return entry === undefined ? DEFAULT_SUBTASK_COUNT : entry.recommendedSubtasks || DEFAULT_SUBTASK_COUNT;
}
