import type { TaskView } from '@baton/store';
import { isoTime } from './iso-time.ts';
import { outcomeOf } from './task-outcome.ts';

/** A task as `task_status` and its resource show it. */
export function taskStatusReply(view: TaskView) {
  return {
    taskId: view.taskId,
    operation: view.operation,
    createdAt: isoTime(view.createdAt),
    lastUpdatedAt: isoTime(view.updatedAt),
    expiresAt: isoTime(view.expiresAt),
    ...outcomeOf(view),
  };
}
