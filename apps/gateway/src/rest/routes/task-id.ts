import { isTaskId } from '@baton/protocol';
import { refusalError } from '@baton/store';

/** The store finds a task by a part of its id, so an id that merely contains it must not pass for it. Errors: `task_not_found`. */
export function requireTaskId(id: string): string {
  if (!isTaskId(id)) throw refusalError(['task_not_found'], { taskId: id });
  return id;
}
