import { buildDirective, requestOriginOf } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { isoTime } from './iso-time.ts';

/**
 * An interaction with its whole request, as lists give it: a directive while it waits for an agent, and otherwise the same
 * without the call to answer it.
 */
export function describeInteractionWithRequest(record: InteractionRecord): object {
  const { taskId, operation, interactionId, principal, status, createdAt, request } = record;
  const times = { createdAt: isoTime(createdAt), ...claimAndEndOf(record) };
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
export function summarizeInteraction(record: InteractionSummary): object {
  const { taskId, operation, interactionId, principal, status, createdAt, expiresAt = 0, request } = record;
  const times = { createdAt: isoTime(createdAt), ...claimAndEndOf(record) };
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

/** Who has claimed it, while the claim lasts, and how it ended. */
export function claimAndEndOf({
  lastClaim,
  claimedUntil,
  endedAt,
  answeredBy,
}: Pick<InteractionRecord, 'endedAt' | 'answeredBy' | 'lastClaim' | 'claimedUntil'>) {
  return {
    ...(claimedUntil !== undefined && { claimedUntil: isoTime(claimedUntil) }),
    ...(claimedUntil !== undefined && lastClaim && { claimedBy: lastClaim.by }),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    ...(answeredBy !== undefined && { answeredBy }),
  };
}
