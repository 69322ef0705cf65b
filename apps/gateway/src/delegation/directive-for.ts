import { type Directive, buildDirective, type PendingSummary } from '@baton/protocol';
import type { PendingInteraction } from '@baton/store';
import { isoTime } from './iso-time.ts';

/** The directive for what waits: the first whole, all of them in short when there are several. */
export function directiveFor(
  taskId: string,
  operation: string,
  pending: readonly PendingInteraction[],
): Directive | undefined {
  const first = pending.find(({ request }) => request.kind === 'llm');
  if (first?.request.kind !== 'llm') return undefined;
  const { interactionId, expiresAt, request } = first;
  const others = pending.length > 1 ? pending.map(summaryOf) : [];
  return buildDirective(
    { taskId, operation, interactionId, expiresAt: isoTime(expiresAt), call: request.call },
    others,
  );
}

function summaryOf({ interactionId, expiresAt, request }: PendingInteraction): PendingSummary {
  const summary = request.kind === 'llm' ? request.call.summary : request.message;
  return { interactionId, summary, expiresAt: isoTime(expiresAt) };
}
