import {
  buildDirective,
  type Directive,
  type JsonObject,
  type PendingSummary,
  type WireError,
} from '@baton/protocol';
import type { InteractionRecord, PendingInteraction, TaskView } from '@baton/store';

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
      const pending = directiveFor(view.taskId, view.operation, view.pending, view.principal);
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

/** The directive for what waits: the first whole, all of them in short when there are several. */
export function directiveFor(
  taskId: string,
  operation: string,
  pending: readonly PendingInteraction[],
  principal?: string,
): Directive | undefined {
  const first = pending.find(({ request }) => request.kind === 'llm');
  if (first?.request.kind !== 'llm') return undefined;
  const { interactionId, expiresAt, request } = first;
  const others = pending.length > 1 ? pending.map(summaryOf) : [];
  return buildDirective(
    { taskId, operation, interactionId, expiresAt: isoTime(expiresAt), call: request.call, principal },
    others,
  );
}

/**
 * An interaction with its whole request, as lists give it: a directive while it is pending, and afterwards the same
 * without the call to answer it.
 */
export function presentInteraction(record: InteractionRecord & { readonly claimedUntil?: number }): object {
  const { taskId, operation, interactionId, principal, status, createdAt, request } = record;
  const times = { createdAt: isoTime(createdAt), ...endTimes(record) };
  if (request.kind === 'elicitation') return { taskId, operation, interactionId, status, ...times, request };
  const { summary } = request.call;
  const expiresAt = isoTime(record.expiresAt ?? 0);
  const whole = buildDirective({
    taskId,
    operation,
    interactionId,
    expiresAt,
    call: request.call,
    principal,
  });
  if (status === 'pending') return { ...whole, interactionStatus: status, summary, ...times };
  const {
    toolResponseSource: _,
    message: _said,
    pendingInteractionSignalToAgent: _signal,
    expiresAt: _due,
    ...asked
  } = whole;
  return { ...asked, status, interactionStatus: status, summary, ...times };
}

function endTimes(record: InteractionRecord & { readonly claimedUntil?: number }) {
  return {
    ...(record.claimedUntil === undefined ? {} : { claimedUntil: isoTime(record.claimedUntil) }),
    ...(record.endedAt === undefined ? {} : { endedAt: isoTime(record.endedAt) }),
    ...(record.answeredBy === undefined ? {} : { answeredBy: record.answeredBy }),
  };
}

function summaryOf({ interactionId, expiresAt, request }: PendingInteraction): PendingSummary {
  const summary = request.kind === 'llm' ? request.call.summary : request.message;
  return { interactionId, summary, expiresAt: isoTime(expiresAt) };
}

/** Milliseconds as ISO 8601. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
