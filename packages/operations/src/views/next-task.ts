import { z } from 'zod';
import { projectRoot, tag } from '../definition/shared-arguments.ts';
import {
  allItemIds,
  dependencyLinks,
  type Priority,
  type Project,
  resolveDependency,
  type Status,
  type Task,
  withoutAttachmentBodies,
  openTag,
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

const RANK: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** What may be worked on, with what it is ordered by. */
interface Candidate {
  readonly priority: Priority;
  readonly dependencies: readonly unknown[];
  readonly ids: readonly [task: number, subtask: number];
  /** Made for the chosen one alone: it holds its texts. */
  readonly show: () => NextTaskResult['task'];
}

/**
 * What to work on next, as claude-task-master chooses it: among what is pending or in progress and whose
 * dependencies are all done (a cancelled one is not), subtasks of tasks in progress first; then by priority, fewer
 * dependencies, id.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function nextTask(project: Project | undefined, input: NextTaskInput): NextTaskResult {
  const { tag, tasks } = openTag(project, input.projectRoot, input.tag);
  const ready = readiness(tasks);
  const subtasks = tasks
    .filter(({ status }) => status === 'in-progress')
    .flatMap((task) => subtaskCandidates(task, ready));
  const candidates = subtasks.length > 0 ? subtasks : taskCandidates(tasks, ready);
  const task = withoutAttachmentBodies(candidates.sort(byUrgency)[0]?.show() ?? null);
  const message = task ? `Next is ${task.id}: ${task.title}` : nothingReady(tasks);
  return { projectRoot: input.projectRoot, tag, task, message };
}

type Readiness = (item: Workable, parent?: number) => boolean;
type Workable = Pick<Task, 'status' | 'dependencies'>;

function readiness(tasks: readonly Task[]): Readiness {
  const known = allItemIds(tasks);
  const done = new Set<string>();
  for (const task of tasks) {
    if (task.status === 'done') done.add(`${task.id}`);
    for (const subtask of task.subtasks) if (subtask.status === 'done') done.add(`${task.id}.${subtask.id}`);
  }
  return ({ status, dependencies }, parent) =>
    isOpen(status) &&
    dependencies.every((dependency) => {
      const meant = resolveDependency(known, dependency, parent);
      return meant !== undefined && done.has(meant);
    });
}

function isOpen(status: Status): boolean {
  return status === 'pending' || status === 'in-progress';
}

function subtaskCandidates(parent: Task, ready: Readiness): Candidate[] {
  const { id, status, priority } = parent;
  return parent.subtasks
    .filter((subtask) => ready(subtask, id))
    .map((subtask) => ({
      priority: subtask.priority ?? priority,
      dependencies: subtask.dependencies,
      ids: [id, subtask.id],
      show: () => ({
        priority,
        ...subtask,
        id: `${id}.${subtask.id}`,
        parentTask: { id, title: parent.title, status },
      }),
    }));
}

function taskCandidates(tasks: readonly Task[], ready: Readiness): Candidate[] {
  return tasks
    .filter((task) => ready(task))
    .map((task) => ({
      priority: task.priority,
      dependencies: task.dependencies,
      ids: [task.id, 0],
      show: () => ({ ...task, subtasks: [...task.subtasks] }),
    }));
}

function byUrgency(a: Candidate, b: Candidate): number {
  return (
    RANK[a.priority] - RANK[b.priority] ||
    a.dependencies.length - b.dependencies.length ||
    a.ids[0] - b.ids[0] ||
    a.ids[1] - b.ids[1]
  );
}

function nothingReady(tasks: readonly Task[]): string {
  const open = tasks.filter(({ status }) => isOpen(status)).length;
  if (open === 0) return 'Nothing is left to start: no task is pending or in progress.';
  const waits = `None of the ${open} open tasks can start: each waits for a dependency that is not done.`;
  const setAside = dependenciesSetAside(tasks);
  if (setAside.length === 0) return waits;
  const more = setAside.length > MOST_NAMED ? ` and ${setAside.length - MOST_NAMED} more` : '';
  const named = setAside.slice(0, MOST_NAMED).map(({ id, status }) => `${id} (${status})`);
  return `${waits} Not done and not open either: ${named.join(', ')}${more}. Set its status, or remove the dependency on it.`;
}

const MOST_NAMED = 5;

/** What open tasks depend on that is neither done nor open, such as a cancelled task, in the order of the tasks. */
function dependenciesSetAside(tasks: readonly Task[]): { readonly id: string; readonly status: Status }[] {
  const needed = new Set(
    dependencyLinks(
      tasks.filter(({ status }) => isOpen(status)),
      allItemIds(tasks),
    ).map(({ to }) => to),
  );
  return tasks
    .flatMap(({ id, status, subtasks }) => [
      { id: `${id}`, status },
      ...subtasks.map((part) => ({ id: `${id}.${part.id}`, status: part.status })),
    ])
    .filter(({ id, status }) => needed.has(id) && status !== 'done' && !isOpen(status));
}
