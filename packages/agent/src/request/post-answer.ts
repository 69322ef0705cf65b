import { type AgentAnswer, BatonError } from '@baton/protocol';
import type { RequestOutcome } from '../api/events.ts';
import type { GatewayClient, PostedAnswer } from '../gateway/gateway-client.ts';
import { backoff, pause } from './throttle.ts';

/** An answer was paid for: it is posted until it is taken or refused, whatever happens to the lease meanwhile. */
const PAUSES = { firstMs: 200, mostMs: 5_000 };
/** About ten minutes: until then Baton is back, or the interaction is another's. */
const TRIES = 120;
/** A failure inside Baton changed nothing, by its own word, but it may be this answer's. */
const TRIES_OF_INTERNAL = 5;

/** Refusals that say that the interaction needs no answer any more. */
const CLOSED_CODES = new Set([
  'interaction_already_answered',
  'interaction_expired',
  'interaction_cancelled',
  'interaction_not_found',
]);

/** Refusals of the key itself, which no other request would escape. */
const KEY_REFUSALS = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended']);

export type Delivery =
  | ({ readonly kind: 'taken' } & PostedAnswer)
  | { readonly kind: 'over'; readonly code: string }
  | { readonly kind: 'refused'; readonly error: BatonError }
  | { readonly kind: 'stopped' };

/**
 * Posts what came of an LLM call, again and again while Baton is away: the same answer twice counts once.
 * Errors: refusals of the key.
 */
export async function postAnswer(
  gateway: GatewayClient,
  interactionId: string,
  answer: AgentAnswer,
  { waitMs, ending }: { waitMs: number; ending: AbortSignal },
): Promise<Delivery> {
  for (let tried = 1; ; tried++) {
    try {
      return { kind: 'taken', ...(await gateway.post(interactionId, answer, waitMs, ending)) };
    } catch (thrown) {
      if (ending.aborted) return { kind: 'stopped' };
      if (!(thrown instanceof BatonError) || isKeyRefusal(thrown)) throw thrown;
      if (CLOSED_CODES.has(thrown.code)) return { kind: 'over', code: thrown.code };
      if (!mayRepeat(thrown, tried)) return { kind: 'refused', error: thrown };
      await pause(pauseBefore(thrown, tried), ending);
    }
  }
}

export function isKeyRefusal({ code }: BatonError): boolean {
  return KEY_REFUSALS.has(code);
}

/** How long to leave Baton alone after its `tried`th refusal in a row. */
export function pauseBefore(error: BatonError, tried: number): number {
  return Math.max(backoff(tried, PAUSES), Number(error.details['retryAfterMs'] ?? 0));
}

function mayRepeat(error: BatonError, tried: number): boolean {
  return error.code === 'internal' ? tried < TRIES_OF_INTERNAL : error.row.repeat && tried < TRIES;
}

/** What Baton is told instead of an answer that it would not take. */
export function answerRefusedError({ code, message }: BatonError): AgentAnswer {
  return {
    status: 'error',
    errorDetails: { type: 'answer_refused', message: `Baton refused the answer (${code}): ${message}` },
  };
}

export function endingOf(delivery: Exclude<Delivery, { kind: 'taken' | 'refused' }>): RequestOutcome {
  return delivery.kind === 'over'
    ? { kind: 'superseded', code: delivery.code }
    : { kind: 'abandoned', reason: 'stopped' };
}
