import { buildDirective } from '@baton/protocol';
import type { InteractionRecord } from '@baton/store';
import { isoTime } from './iso-time.ts';

/**
 * An interaction with its whole request, as lists give it: a directive while it waits for an agent, and otherwise the same
 * without the call to answer it.
 */
export function describeInteractionWithRequest(
  record: InteractionRecord & { readonly claimedUntil?: number },
): object {
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
  if (status === 'pending' && record.provider === undefined)
    return { ...whole, interactionStatus: status, summary, ...times };
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
