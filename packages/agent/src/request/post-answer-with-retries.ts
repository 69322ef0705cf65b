import { type AgentAnswer, BatonError } from '@baton/protocol';
import pRetry from 'p-retry';
import type { Usage } from '../api/usage.ts';
import type { PostedAnswer } from '../gateway/gateway-client.ts';
import { isKeyRefusal, retryAfterMs } from '../gateway/gateway-errors.ts';
import { sleep } from '../timing/sleep.ts';

/** An answer was paid for, so it is posted again for about ten minutes while Baton is unavailable. */
const RETRIES = { retries: 119, minTimeout: 200, maxTimeout: 5_000, factor: 2, randomize: true };
/** Posting the same answer twice counts once, so that an internal error may be retried; but this answer may be its cause. */
const MAX_INTERNAL_ERRORS = 5;

/** Refusals that say that the interaction needs no answer any more. */
const CLOSED_CODES = new Set([
  'interaction_already_answered',
  'interaction_expired',
  'interaction_cancelled',
  'interaction_not_found',
]);

export type Delivery =
  | ({ readonly kind: 'taken' } & PostedAnswer)
  /** The interaction was answered by somebody else or is closed. */
  | { readonly kind: 'closed'; readonly code: string }
  | { readonly kind: 'refused'; readonly error: BatonError }
  | { readonly kind: 'stopped' };

/**
 * Posts an answer, or a chunk of one, until Baton takes or refuses it, whatever becomes of the lease meanwhile.
 * Errors: refusals of the key.
 */
export async function postWithRetries(
  post: () => Promise<PostedAnswer>,
  stopped: AbortSignal,
): Promise<Delivery> {
  try {
    const posted = await pRetry(post, {
      ...RETRIES,
      signal: stopped,
      shouldRetry: ({ error, attemptNumber }) => isRetryable(error, attemptNumber),
      onFailedAttempt: ({ error }) => sleep(retryAfterMs(error), stopped),
    });
    return { kind: 'taken', ...posted };
  } catch (thrown) {
    if (stopped.aborted) return { kind: 'stopped' };
    if (!(thrown instanceof BatonError) || isKeyRefusal(thrown)) throw thrown;
    if (CLOSED_CODES.has(thrown.code)) return { kind: 'closed', code: thrown.code };
    return { kind: 'refused', error: thrown };
  }
}

function isRetryable(error: Error, attempt: number): boolean {
  if (!(error instanceof BatonError) || isKeyRefusal(error)) return false;
  return error.code === 'internal' ? attempt < MAX_INTERNAL_ERRORS : error.row.repeat;
}

/** The answer that tells Baton, in place of one that it refused, why there is none, and what that one cost. */
export function errorAnswerForRefusal({ code, message }: BatonError, usage: Usage | undefined): AgentAnswer {
  return {
    status: 'error',
    errorDetails: {
      type: 'answer_refused',
      message: `Baton refused the answer (${code}): ${message}`,
      ...(usage === undefined ? {} : { usage }),
    },
  };
}
