import { BatonError } from '@baton/protocol';
import { TASK_LIMITS, type Task } from '../model/task.ts';

/**
 * Refuses a task whose JSON has `length` characters where one field may not hold them; what is too long already may get shorter.
 * @throws BatonError `limit_size`.
 */
export function refuseLongTask(id: number, length: number, old: Task | undefined): void {
  const most = TASK_LIMITS.taskLength;
  if (length <= most || (old !== undefined && length <= JSON.stringify(old).length)) return;
  throw new BatonError(
    'limit_size',
    `Task ${id} with its subtasks would be ${length} characters of JSON; ${most} are allowed. Nothing was changed.`,
    { limit: 'taskLength', most },
  );
}

/** Most commands look at every task and subtask of a tag. @throws BatonError `limit_size`. */
export function refuseTooManySubtasks(tag: string, would: number, has: number): void {
  const most = TASK_LIMITS.subtasksPerTag;
  if (would <= most || would <= has) return;
  throw new BatonError(
    'limit_size',
    `The tasks of tag '${tag}' may have ${most} subtasks in all; these would be ${would}. Use another tag.`,
    { limit: 'subtasksPerTag', most },
  );
}
