import { type Directive, type JsonObject, type PendingSummary, type WireError } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import { isoTime } from './iso-time.ts';
import { directiveForPendingInteractions } from './directive-for-pending-interactions.ts';

/** A task's status with its result, request or error: `outcome` of `agent_llm`, top level of `task_status`. */
export interface TaskOutcome {
  readonly status: TaskView['status'];
  readonly result?: JsonObject;
  readonly pending?: Directive;
  readonly pendingInteractions?: readonly PendingSummary[];
  readonly error?: WireError;
  readonly waitsForRoom?: WaitForRoom;
  /** When the pause ends after which it tries again what failed. */
  readonly pausedUntil?: string;
  /** Of an answer that does not fit (rejected-answer.ts): what is wrong, and which attempt of how many comes next. */
  readonly problem?: string;
  readonly attempt?: number;
  readonly mostAttempts?: number;
}

/** The limit within which a task waits for room to store what its answer gave, and what to do about it. */
interface WaitForRoom {
  readonly limit: string;
  readonly message: string;
}

export function describeWaitForRoom(limit: string): WaitForRoom {
  return {
    limit,
    message:
      `The answer is kept, but what it gave has no room within the limit '${limit}'. ` +
      'Make room by delete_project or by removing tasks, or ask for a higher limit: the task tries again for an hour, ' +
      'and then fails, after which retry_task goes on.',
  };
}

export function outcomeOf(view: TaskView): TaskOutcome {
  switch (view.status) {
    case 'completed':
      return { status: view.status, result: view.result };
    case 'failed':
    case 'cancelled':
      return { status: view.status, error: view.error };
    case 'working':
    case 'input_required': {
      const pending = directiveForPendingInteractions(
        view.taskId,
        view.operation,
        view.pending,
        view.principal,
      );
      return {
        status: view.status,
        ...(pending ? { pending } : {}),
        ...(view.waitsForRoom === undefined ? {} : { waitsForRoom: describeWaitForRoom(view.waitsForRoom) }),
        ...(view.pausedUntil === undefined ? {} : { pausedUntil: isoTime(view.pausedUntil) }),
        ...(pending?.pendingInteractions ? { pendingInteractions: pending.pendingInteractions } : {}),
      };
    }
  }
}
