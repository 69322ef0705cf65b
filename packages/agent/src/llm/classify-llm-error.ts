import { APICallError } from 'ai';
import { LlmCallFailure, type FailureKind } from '../api/llm-call-failure.ts';

type StatusMeaning = readonly [type: string, kind: FailureKind];

/** By the endpoint's HTTP status: what Baton is told, and whether another try of this request may help. */
const BY_STATUS: Readonly<Record<number, StatusMeaning>> = {
  401: ['authentication_error', 'final'],
  402: ['billing_error', 'final'],
  403: ['permission_error', 'final'],
  404: ['not_found_error', 'final'],
  408: ['timeout_error', 'passing'],
  409: ['api_error', 'passing'],
  413: ['request_too_large', 'final'],
  429: ['rate_limit_error', 'passing'],
  503: ['overloaded_error', 'passing'],
  504: ['timeout_error', 'passing'],
  529: ['overloaded_error', 'passing'],
};

/**
 * What the `ai` package threw, under the names that Baton knows. A reply that was no reply (cut off, no JSON, of
 * another shape) may be right the next time.
 */
export function classifyLlmError(thrown: unknown): LlmCallFailure {
  if (thrown instanceof LlmCallFailure) return thrown;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  if (!APICallError.isInstance(thrown)) {
    const passing = thrown instanceof Error && BROKEN_REPLY_ERRORS.has(thrown.name);
    return new LlmCallFailure('api_error', said, { kind: passing ? 'passing' : 'final', cause: thrown });
  }
  const { statusCode = 0, responseHeaders = {} } = thrown;
  const otherwise: StatusMeaning =
    statusCode >= 400 && statusCode < 500 ? ['invalid_request_error', 'final'] : ['api_error', 'passing'];
  const [type, kind] = BY_STATUS[statusCode] ?? otherwise;
  const message = `The LLM endpoint ${statusCode === 0 ? 'failed' : `answered ${statusCode}`}: ${said}`;
  const retryAfterMs = kind === 'passing' ? parseRetryAfter(responseHeaders) : undefined;
  return new LlmCallFailure(type, message, { kind, retryAfterMs, cause: thrown });
}

/** Errors about a reply that broke off or made no sense. */
const BROKEN_REPLY_ERRORS = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoOutputGeneratedError',
  'AI_NoContentGeneratedError',
  'TypeError',
]);

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds; some endpoints say it more exactly. */
function parseRetryAfter(headers: Record<string, string>): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
