import { type Directive, type JsonObject, type PendingSummary, type WireError } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import { isoTime } from './iso-time.ts';
import { directiveFor } from './directive-for.ts';

/** A task's status with its result, request or error: `outcome` of `agent_llm`, top level of `task_status`. */
export interface TaskOutcome {
  readonly status: TaskView['status'];
  readonly result?: JsonObject;
  readonly pending?: Directive;
  readonly pendingInteractions?: readonly PendingSummary[];
  readonly error?: WireError;
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
      const pending = directiveFor(view.taskId, view.operation, view.pending);
      return {
        status: view.status,
        ...(pending ? { pending } : {}),
        ...(pending?.pendingInteractions ? { pendingInteractions: pending.pendingInteractions } : {}),
      };
    }
  }
}

/** A task as `task_status` and its resource show it. */
export function taskStatusOf(view: TaskView) {
  return {
    taskId: view.taskId,
    operation: view.operation,
    createdAt: isoTime(view.createdAt),
    lastUpdatedAt: isoTime(view.updatedAt),
    expiresAt: isoTime(view.expiresAt),
    ...outcomeOf(view),
  };
}
