import type { TaskRef } from '../model/task-id.ts';
import type { Task, Subtask } from '../model/task.ts';

/** The tasks with the item at `ref` changed. An item that `change` returns unchanged keeps its identity. */
export function updateItemAt(
  tasks: readonly Task[],
  ref: TaskRef,
  change: <T extends Task | Subtask>(item: T) => T,
): readonly Task[] {
  const at = tasks.findIndex(({ id }) => id === ref.task);
  const task = tasks[at];
  if (task === undefined) return tasks;
  const changed = changedAt(task, ref, change);
  return changed === task ? tasks : tasks.with(at, changed);
}

function changedAt(task: Task, ref: TaskRef, change: <T extends Task | Subtask>(item: T) => T): Task {
  if (ref.subtask === undefined) return change(task);
  const at = task.subtasks.findIndex(({ id }) => id === ref.subtask);
  const subtask = task.subtasks[at];
  if (subtask === undefined) return task;
  const changed = change(subtask);
  return changed === subtask ? task : { ...task, subtasks: task.subtasks.with(at, changed) };
}
