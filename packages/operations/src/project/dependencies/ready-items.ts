import { formatTaskRef, type TaskRef } from '../model/task-id.ts';
import type { Priority, Status } from '../model/status-and-priority.ts';
import { findTask, type Subtask, type Task } from '../model/task.ts';
import { allItemIds, resolveDependency } from './dependency-graph.ts';

const RANK: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** What may be worked on, with what it is ordered by. */
interface Candidate {
  readonly priority: Priority;
  readonly dependencies: readonly unknown[];
  readonly ref: TaskRef;
}

/** Of a task, or of a subtask with the id of its task. */
type ItemCheck = (item: Task | Subtask, parent?: number) => boolean;

/** Whether work of a status is left to do. */
export function isOpen(status: Status): boolean {
  return status === 'pending' || status === 'in-progress';
}

/**
 * What to work on next, as claude-task-master chooses it: among what `isWanted` and whose dependencies are
 * all done (a cancelled one is not), subtasks of tasks in progress first; then by priority, fewer dependencies, id.
 */
export function nextReadyItem(tasks: readonly Task[], isWanted: ItemCheck): TaskRef | undefined {
  const dependenciesDone = dependencyCheck(tasks);
  const isReady: ItemCheck = (item, parent) => isWanted(item, parent) && dependenciesDone(item, parent);
  const subtasks = tasks
    .filter(({ status }) => status === 'in-progress')
    .flatMap((task) => subtaskCandidates(task, isReady));
  const candidates = subtasks.length > 0 ? subtasks : taskCandidates(tasks, isReady);
  return candidates.sort(byUrgency)[0]?.ref;
}

/** A task, or a subtask with its outside id and its task, as tools show it on its own. */
export function taskItemView(tasks: readonly Task[], { task: id, subtask }: TaskRef) {
  const task = findTask(tasks, id) as Task;
  if (subtask === undefined) return { ...task, subtasks: [...task.subtasks] };
  const { title, status, priority, subtasks } = task;
  const part = subtasks.find((one) => one.id === subtask) as Subtask;
  return {
    priority,
    ...part,
    id: formatTaskRef({ task: id, subtask }),
    parentTask: { id, title, status },
  };
}

function dependencyCheck(tasks: readonly Task[]): ItemCheck {
  const known = allItemIds(tasks);
  const done = new Set<string>();
  for (const task of tasks) {
    if (task.status === 'done') done.add(`${task.id}`);
    for (const subtask of task.subtasks) if (subtask.status === 'done') done.add(`${task.id}.${subtask.id}`);
  }
  return ({ dependencies }, parent) =>
    dependencies.every((dependency) => {
      const meant = resolveDependency(known, dependency, parent);
      return meant !== undefined && done.has(meant);
    });
}

function subtaskCandidates({ id, priority, subtasks }: Task, isReady: ItemCheck): Candidate[] {
  return subtasks
    .filter((subtask) => isReady(subtask, id))
    .map((subtask) => ({
      priority: subtask.priority ?? priority,
      dependencies: subtask.dependencies,
      ref: { task: id, subtask: subtask.id },
    }));
}

function taskCandidates(tasks: readonly Task[], isReady: ItemCheck): Candidate[] {
  return tasks
    .filter((task) => isReady(task))
    .map(({ id, priority, dependencies }) => ({ priority, dependencies, ref: { task: id } }));
}

function byUrgency(a: Candidate, b: Candidate): number {
  return (
    RANK[a.priority] - RANK[b.priority] ||
    a.dependencies.length - b.dependencies.length ||
    a.ref.task - b.ref.task ||
    (a.ref.subtask ?? 0) - (b.ref.subtask ?? 0)
  );
}
