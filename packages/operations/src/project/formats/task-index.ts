import type { Dependency } from '../model/task-id.ts';
import type { Priority, Status } from '../model/status-and-priority.ts';
import { startedAtOf, type Subtask, type Task } from '../model/task.ts';
import { storedLength, type TaskHead } from './unread.ts';

/**
 * What most commands and views need of the tasks that they do not work on: who there is, how it stands and what it waits
 * for, without texts. `0` stands for what most tasks have.
 *
 *   [length of the task's JSON, status, priority, dependencies, subtasks, startedAt where it has one]
 *   a subtask: [id, status, priority, dependencies, startedAt where it has one]
 */
export type IndexEntry = [
  length: number,
  status: Status | 0,
  priority: Priority | 0,
  dependencies: readonly Dependency[] | 0,
  subtasks: readonly IndexedSubtask[] | 0,
  startedAt?: string,
];
type IndexedSubtask = [
  id: number,
  status: Status | 0,
  priority: Priority | 0,
  dependencies: readonly Dependency[] | 0,
  startedAt?: string,
];

/** One field of the index: entries by the ids of their tasks. */
export type IndexBucket = Readonly<Record<string, IndexEntry>>;

/** `length`: of a task that is stored anew. */
export function indexEntryOf(task: Task, length = storedLength(task)): IndexEntry {
  const { status, priority, dependencies, subtasks } = task;
  return [
    length,
    status === 'pending' ? 0 : status,
    priority === 'medium' ? 0 : priority,
    dependencies.length === 0 ? 0 : dependencies,
    subtasks.length === 0 ? 0 : subtasks.map(indexedSubtask),
    ...startOf(task),
  ];
}

function indexedSubtask(subtask: Subtask): IndexedSubtask {
  const { id, status, priority, dependencies } = subtask;
  return [
    id,
    status === 'pending' ? 0 : status,
    priority ?? 0,
    dependencies.length === 0 ? 0 : dependencies,
    ...startOf(subtask),
  ];
}

function startOf(item: Task | Subtask): [] | [startedAt: string] {
  const startedAt = startedAtOf(item);
  return startedAt === undefined ? [] : [startedAt];
}

export function taskHeadOf(
  id: number,
  [length, status, priority, dependencies, subtasks, startedAt]: IndexEntry,
): TaskHead {
  return {
    id,
    length,
    status: status || 'pending',
    priority: priority || 'medium',
    dependencies: dependencies || [],
    startedAt,
    subtasks: (subtasks || []).map(([subtask, status, priority, dependencies, startedAt]) => ({
      id: subtask,
      parent: id,
      status: status || 'pending',
      ...(priority === 0 ? {} : { priority }),
      dependencies: dependencies || [],
      startedAt,
    })),
  };
}
