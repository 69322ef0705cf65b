import { type Directive, buildDirective, type PendingSummary } from '@baton/protocol';
import type { PendingInteraction } from '@baton/store';
import { isoTime } from './iso-time.ts';

/** The directive for what waits: the first whole, all of them in short when there are several. */
export function directiveForPendingInteractions(
  taskId: string,
  operation: string,
  pending: readonly PendingInteraction[],
  principal?: string,
): Directive | undefined {
  const [first] = pending;
  if (first === undefined) return undefined;
  const { interactionId, expiresAt, request } = first;
  const { call } = request;
  if (!('request' in call)) throw new Error(`the request of interaction ${interactionId} was not read`);
  const others = pending.length > 1 ? pending.map(summaryOf) : [];
  return buildDirective(
    { taskId, operation, interactionId, expiresAt: isoTime(expiresAt), call, principal },
    others,
  );
}

function summaryOf({ interactionId, expiresAt, request }: PendingInteraction): PendingSummary {
  return { interactionId, summary: request.call.summary, expiresAt: isoTime(expiresAt) };
}
