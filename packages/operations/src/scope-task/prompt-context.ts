import type { ReadLimits } from '@baton/engine';
import {
  type Project,
  requireProject,
  requireTag,
  requireTask,
  seenTasksAndSubtasks,
  taskDoneError,
} from '../project/index.ts';
import type { JournaledProject } from '../project-context/context-sections.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { singleTaskExcerpt } from '../prompt-kit/task-excerpts.ts';

/** Whether a task is widened or narrowed, and how far. */
export type ScopeDirection = 'up' | 'down';

export const STRENGTHS = ['light', 'regular', 'heavy'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** What a change of a task's scope needs of the project; it is journaled. */
export interface ScopeContext extends JournaledProject {
  readonly task: ReturnType<typeof singleTaskExcerpt>;
  /** How many subtasks to make in the place of the pending ones; 0 where none is pending. */
  readonly subtaskCount: number;
  /** The number of the first of them. */
  readonly firstId: number;
  /** What the complexity report says of the task, and by which settings, where it was analyzed. */
  readonly report?:
    | { readonly complexityScore: number; readonly threshold: number; readonly research: boolean }
    | undefined;
}

/**
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `project_task_done`.
 */
export function readScopeContext(
  project: Project | undefined,
  { projectRoot, tag, id, direction, strength, prompt = '' }: ScopeTarget,
  limits: ReadLimits,
): ScopeContext {
  const existing = requireProject(project, projectRoot);
  const task = requireTask(requireTag(existing, tag), tag, { task: id });
  if (task.status === 'done') throw taskDoneError(tag, `${id}`);
  const stays = task.subtasks.filter(({ status }) => status !== 'pending');
  const report = existing.reports.get(tag);
  const known = report?.complexityAnalysis.find(({ taskId }) => taskId === id);
  const query = `${prompt} ${task.title} ${task.description}`;
  const wish = { tag, about: [id], dependencies: task.dependencies, query };
  const { rules, context } = readProjectContext(existing, wish, limits);
  return {
    task: singleTaskExcerpt(task),
    seen: seenTasksAndSubtasks([task]),
    subtaskCount: countFor(task.subtasks.length - stays.length, direction, strength),
    firstId: Math.max(0, ...stays.map(({ id }) => id)) + 1,
    report: report &&
      known && {
        complexityScore: known.complexityScore,
        threshold: report.meta.thresholdScore,
        research: report.meta.usedResearch,
      },
    rules,
    context,
  };
}

interface ScopeTarget {
  readonly projectRoot: string;
  readonly tag: string;
  readonly id: number;
  readonly direction: ScopeDirection;
  readonly strength: Strength;
  readonly prompt?: string | undefined;
}

/** How many pending subtasks become of one: claude-task-master's factors. */
const FACTORS: Readonly<Record<ScopeDirection, Readonly<Record<Strength, number>>>> = {
  up: { light: 1.1, regular: 1.3, heavy: 1.6 },
  down: { light: 0.8, regular: 0.5, heavy: 0.25 },
};

const MAX_ASKED = 50;

/** More of them where a task grows, fewer where it shrinks, and at least one in the place of any. */
function countFor(pending: number, direction: ScopeDirection, strength: Strength): number {
  const wanted = pending * FACTORS[direction][strength];
  const rounded = direction === 'up' ? Math.ceil(wanted) : Math.max(Math.min(1, pending), Math.floor(wanted));
  return Math.min(MAX_ASKED, rounded);
}
