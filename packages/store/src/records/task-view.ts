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
  mayStream,
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
    | {
        readonly status: 'working' | 'input_required';
        readonly pending: readonly PendingInteraction[];
        /** The interactions whose answers may come in chunks, from whomever: an LLM endpoint is asked for those that are not pending. */
        readonly streams: readonly string[];
        /** The limit within which it waits for room, to change its project. */
        readonly waitsForRoom?: string;
        /** Of a task that works: when the first of its pauses ends. Milliseconds by Redis's clock. */
        readonly pausedUntil?: number;
      }
    | TaskEnd
  );

/** Reads READ_TASK_AND_REGISTER_WAITER's reply, from the task's fields on. */
export function parseTaskView(taskId: string, reply: readonly unknown[]): TaskView {
  const [facts, ...interactions] = reply as [string[], ...unknown[]];
  const [status, principal = '', program, at, up, ex, se, payload, used, streamed, limit, paused] = facts;
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
  const streams = pending
    .filter(({ request }) => mayStream(request))
    .map(({ interactionId }) => interactionId);
  for (const number of streamed?.split(' ') ?? [])
    if (number !== '') streams.push(formatInteractionId(taskId, Number(number)));
  return {
    ...common,
    status: status as 'working' | 'input_required',
    pending,
    streams,
    ...(limit && { waitsForRoom: limit }),
    ...(paused && { pausedUntil: Number(paused) }),
  };
}

/** What is published of a task that has parked: all that it waits for. */
export interface ParkedTask {
  readonly program: string;
  readonly principal: string;
  /** When it parked. Milliseconds by Redis's clock. */
  readonly at: number;
  readonly pending: readonly (readonly [
    number: number,
    due: number,
    request: InteractionRequest | null,
    summary: string,
  ])[];
}

export type WaitingTaskView = Extract<TaskView, { readonly pending: unknown }>;

/** A task of which it was published that it has parked. Its own times and what it used are not known from that, and are 0 and absent. */
export function parkedTaskView(taskId: string, seen: number, parked: ParkedTask): WaitingTaskView {
  const { program, principal, at } = parked;
  const pending = parked.pending.map(([number, due, request, summary]) => ({
    interactionId: formatInteractionId(taskId, number),
    createdAt: at,
    expiresAt: due,
    request: request ?? parseSummarizedRequest(`${at};${summary}`).request,
  }));
  const streams = pending
    .filter(({ request }) => mayStream(request))
    .map(({ interactionId }) => interactionId);
  const { operation } = parseProgramField(program);
  const times = { createdAt: 0, updatedAt: at, expiresAt: 0 };
  return { taskId, principal, operation, ...times, seen, status: 'input_required', pending, streams };
}

/** How a task ended, from its status and payload; undefined while it goes on. */
export function parseTaskEnd(status: TaskStatus, payload: string): TaskEnd | undefined {
  if (!isEnded(status)) return undefined;
  const value: unknown = JSON.parse(payload);
  return status === 'completed'
    ? { status, result: value as JsonObject }
    : { status, error: value as WireError };
}
