import {
  formatInteractionId,
  isEnded,
  type JsonObject,
  type TaskEnd,
  type TaskStatus,
  type UsageSums,
  type WireError,
} from '@baton/protocol';
import {
  type InteractionRequest,
  parseRequestField,
  parseSummarizedRequest,
  type SummarizedRequest,
} from './interaction-request.ts';
import { parseUsageSums } from './usage-sums.ts';
import { parseProgramField } from './program-field.ts';

/** A pending request, as it was parked. Times are milliseconds by Redis's clock. */
export interface PendingInteraction {
  readonly interactionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Of several LLM requests of a task that was read, only the first is whole. */
  readonly request: InteractionRequest | SummarizedRequest;
}

interface TaskFacts {
  readonly taskId: string;
  readonly principal: string;
  readonly operation: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** How many of its events (answers, expiries, cancellations) the task's program had consumed when it last parked. */
  readonly seen: number;
  /** What its answered LLM requests have used; absent before the first. */
  readonly usage?: UsageSums;
}

/** A task's state as callers see it. */
export type TaskView = TaskFacts &
  (
    | { readonly status: 'working' | 'input_required'; readonly pending: readonly PendingInteraction[] }
    | TaskEnd
  );

/** Reads READ_TASK_AND_REGISTER_WAITER's reply, from the task's fields on. */
export function parseTaskView(taskId: string, reply: readonly unknown[]): TaskView {
  const [facts, ...interactions] = reply as [string[], ...unknown[]];
  const [status, principal = '', program, at, up, ex, se, payload, used] = facts;
  const usage = parseUsageSums(used);
  const common: TaskFacts = {
    taskId,
    principal,
    operation: parseProgramField(program).operation,
    createdAt: Number(at),
    updatedAt: Number(up ?? at),
    expiresAt: Number(ex),
    seen: Number(se ?? 0),
    ...(usage && { usage }),
  };
  const end = parseTaskEnd(status as TaskStatus, payload ?? '');
  if (end !== undefined) return { ...common, ...end };
  const pending: PendingInteraction[] = [];
  for (let at = 0; at + 3 < interactions.length; at += 4) {
    const [number, due, request, summary] = interactions.slice(at, at + 4) as (string | null)[];
    pending.push({
      interactionId: formatInteractionId(taskId, Number(number)),
      expiresAt: Number(due),
      ...(summary ? parseSummarizedRequest(summary) : parseRequestField(request ?? '')),
    });
  }
  return { ...common, status: status as 'working' | 'input_required', pending };
}

/** How a task ended, from its status and payload; undefined while it goes on. */
export function parseTaskEnd(status: TaskStatus, payload: string): TaskEnd | undefined {
  if (!isEnded(status)) return undefined;
  const value: unknown = JSON.parse(payload);
  return status === 'completed'
    ? { status, result: value as JsonObject }
    : { status, error: value as WireError };
}
