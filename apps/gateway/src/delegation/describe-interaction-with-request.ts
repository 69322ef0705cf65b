import { buildDirective, requestOriginOf } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { isoTime } from './iso-time.ts';

type Claimable = { readonly claimedUntil?: number };

/**
 * An interaction with its whole request, as lists give it: a directive while it waits for an agent, and otherwise the same
 * without the call to answer it.
 */
export function describeInteractionWithRequest(record: InteractionRecord & Claimable): object {
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
  if (isForAgents(record)) return { ...whole, interactionStatus: status, summary, ...times };
  const {
    toolResponseSource: _,
    message: _said,
    pendingInteractionSignalToAgent: _signal,
    expiresAt: _due,
    ...asked
  } = whole;
  return { ...asked, status, interactionStatus: status, summary, ...times };
}

/** The same without the request. */
export function summarizeInteraction(record: InteractionSummary & Claimable): object {
  const { taskId, operation, interactionId, principal, status, createdAt, expiresAt = 0, request } = record;
  const times = { createdAt: isoTime(createdAt), ...endTimes(record) };
  if (request.kind === 'elicitation') return { taskId, operation, interactionId, status, ...times, request };
  const { role, serviceType, attempt, summary } = request.call;
  const asked = { interactionId, taskId, operation, summary, role, serviceType, attempt };
  const origin = requestOriginOf(principal);
  if (isForAgents(record))
    return {
      status: 'pending_agent_llm_action',
      ...asked,
      expiresAt: isoTime(expiresAt),
      origin,
      interactionStatus: status,
      ...times,
    };
  return { status, ...asked, origin, interactionStatus: status, ...times };
}

function isForAgents({ status, provider }: Pick<InteractionRecord, 'status' | 'provider'>): boolean {
  return status === 'pending' && provider === undefined;
}

function endTimes(record: Pick<InteractionRecord, 'endedAt' | 'answeredBy'> & Claimable) {
  return {
    ...(record.claimedUntil === undefined ? {} : { claimedUntil: isoTime(record.claimedUntil) }),
    ...(record.endedAt === undefined ? {} : { endedAt: isoTime(record.endedAt) }),
    ...(record.answeredBy === undefined ? {} : { answeredBy: record.answeredBy }),
  };
}
