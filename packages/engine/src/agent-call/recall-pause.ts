import { type AgentAnswer, canonicalJson, type DelegatedCall, RETRYABLE_ERROR_TYPES } from '@baton/protocol';

export type FailedAnswer = Extract<AgentAnswer, { status: 'error' }>;

const FIRST_PAUSE_MS = 2_000;
/** No pause is longer, whatever Retry-After says: the task would not live so long. */
export const MAX_PAUSE_MS = 900_000;

/**
 * Whether the same route is asked again after a pause. `nextRoute` says that the next one is to be asked at once: a worker sets it
 * where an endpoint asks to be left alone for long, and its role has a further route.
 */
export function mayRecall({ errorDetails: { type, nextRoute } }: FailedAnswer): boolean {
  return type !== undefined && RETRYABLE_ERROR_TYPES.has(type) && nextRoute !== true;
}

/**
 * Milliseconds before the request is made again: doubled each time, half of it by chance ("equal jitter", Exponential
 * Backoff And Jitter, AWS Architecture Blog 2015), so that requests that failed together do not come back together; and
 * never before what the agent's Retry-After says. The chance is a hash of request and failure: a replay pauses as long.
 */
export function recallPauseMs(call: DelegatedCall, answer: FailedAnswer, recalls: number): number {
  const longest = FIRST_PAUSE_MS * 2 ** Math.min(recalls, 20);
  const chance = fnv1a(
    `${call.attempt} ${canonicalJson(answer.errorDetails)} ${JSON.stringify(call.request.messages)}`,
  );
  const pause = longest / 2 + (chance % (longest / 2 + 1));
  return Math.min(MAX_PAUSE_MS, Math.max(pause, retryAfterMs(answer)));
}

/** `retryAfterMs`, or `retryAfter` in seconds, each as a number or as text; 0 for anything else. */
function retryAfterMs({ errorDetails }: FailedAnswer): number {
  const ms = positive(errorDetails['retryAfterMs']);
  return Math.ceil(ms > 0 ? ms : positive(errorDetails['retryAfter']) * 1_000);
}

function positive(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,3})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number > 0 ? number : 0;
}

/** FNV-1a over the UTF-16 units of a text, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
