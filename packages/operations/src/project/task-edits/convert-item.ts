import type { Subtask, Task } from '../model/task.ts';

/** A task as a subtask of another; it has no subtasks of its own. */
export function convertTaskToSubtask({ subtasks: _, ...task }: Task, id: number): Subtask {
  return { ...task, id };
}

/** A subtask as a task of its own; what it does not say its parent says. */
export function convertSubtaskToTask(subtask: Subtask, id: number, parent: Pick<Task, 'priority'>): Task {
  const { parentTaskId: _, ...own } = subtask as Subtask & { readonly parentTaskId?: unknown };
  return {
    ...own,
    id,
    priority: subtask.priority ?? parent.priority,
    subtasks: [],
  };
}
