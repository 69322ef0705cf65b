import { connectionFailureReason, isRecord, parseJson, rootCauseOf, truncate } from '@baton/protocol';
import { APICallError, UnsupportedFunctionalityError } from 'ai';
import { LlmCallFailure, type FailureKind } from '../api/llm-call-failure.ts';
import { type Usage, usageOf } from '../api/usage.ts';
import { refusalInResponses } from './reply-metadata.ts';

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

/** By an endpoint's own word for an error: the types above, and what OpenAI calls them. */
const BY_NAME: ReadonlyMap<string, StatusMeaning> = new Map([
  ...Object.values(BY_STATUS).map((meaning) => [meaning[0], meaning] as const),
  ['invalid_request_error', ['invalid_request_error', 'final']],
  ['rate_limit_exceeded', ['rate_limit_error', 'passing']],
  ['insufficient_quota', ['billing_error', 'final']],
]);

/**
 * What the `ai` package threw, under the names that Baton knows. A reply that was no reply (cut off, no JSON, of
 * another shape) may be right the next time.
 */
export function classifyLlmError(thrown: unknown): LlmCallFailure {
  const named = failureUnder(thrown);
  if (named !== undefined) return named;
  // Errors within a stream come as the endpoint wrote them.
  if (isRecord(thrown) && !(thrown instanceof Error)) return failureSaid(thrown);
  const broken = thrown instanceof Error ? brokenReplyReason(thrown) : undefined;
  if (broken !== undefined)
    return new LlmCallFailure('api_error', `The LLM endpoint's reply ${broken}`, {
      kind: 'passing',
      cause: thrown,
    });
  // Arguments of a call are JSON within the reply's JSON.
  if (thrown instanceof RangeError && thrown.message.includes('call stack'))
    return new LlmCallFailure('api_error', "The LLM endpoint's reply nests too deep to be read.", {
      kind: 'passing',
      cause: thrown,
    });
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  // Such as a media type that the endpoint's API has no form for: nothing was sent, and nothing else would be.
  if (UnsupportedFunctionalityError.isInstance(thrown))
    return new LlmCallFailure('content_not_supported', said, { kind: 'final', cause: thrown });
  if (!APICallError.isInstance(thrown)) {
    const passing = thrown instanceof Error && BROKEN_REPLY_ERRORS.has(thrown.name);
    return new LlmCallFailure('api_error', said, { kind: passing ? 'passing' : 'final', cause: thrown });
  }
  const { statusCode = 0, responseHeaders = {} } = thrown;
  if (statusCode === 0) return connectionFailure(thrown);
  const otherwise: StatusMeaning =
    statusCode >= 400 && statusCode < 500 ? ['invalid_request_error', 'final'] : ['api_error', 'passing'];
  const told = meaningOf(errorIn(thrown.responseBody));
  // A quota that is used up comes as 429, as a rate that passes does.
  const [type, kind] = told?.[0] === 'billing_error' ? told : (BY_STATUS[statusCode] ?? otherwise);
  const message = `The LLM endpoint answered ${statusCode}: ${messageIn(thrown.responseBody) ?? said}`;
  const retryAfterMs = kind === 'passing' ? parseRetryAfter(responseHeaders) : undefined;
  return new LlmCallFailure(type, message, { kind, retryAfterMs, cause: thrown });
}

/** The failure that a reply of status 200 tells of in the place of an answer: its `error`, or a refusal of OpenAI's responses; undefined without one. */
export function failureInBody(body: string): LlmCallFailure | undefined {
  const said = jsonIn(body);
  const refusal = refusalInResponses(said);
  if (refusal !== undefined) return refusalFailure(refusal, usageOf(said));
  const isAnswer = isRecord(said) && ('choices' in said || 'content' in said);
  return isRecord(said) && Boolean(said['error']) && !isAnswer ? failureSaid(said['error']) : undefined;
}

/** Of a model that will not answer, with its words, if it has any. */
export function refusalFailure(words: string, usage: Usage | undefined): LlmCallFailure {
  const said = words === '' ? '(it gave no reason)' : words;
  return new LlmCallFailure('agent_refused', `The model refused to answer: ${said}`, { usage });
}

/** An endpoint's own words for what went wrong, with the HTTP status or the name that it may give. */
function failureSaid(error: unknown): LlmCallFailure {
  const [type, kind] = meaningOf(error) ?? ['api_error', 'passing'];
  const words = messageIn(JSON.stringify({ error })) ?? JSON.stringify(error);
  return new LlmCallFailure(type, `The LLM endpoint answered 200 with an error: ${words}`, { kind });
}

/** What an error of an endpoint's is, by its `code`, `status` or `type`; undefined where none of them is known. */
function meaningOf(error: unknown): StatusMeaning | undefined {
  if (!isRecord(error)) return undefined;
  const words = [error['code'], error['status'], error['statusCode'], error['type']];
  return words.map((word) => BY_STATUS[Number(word)] ?? BY_NAME.get(String(word))).find(Boolean);
}

/** The `error` in a body, where it has one. */
function errorIn(body: string | undefined): unknown {
  const said = jsonIn(body);
  return isRecord(said) ? said['error'] : undefined;
}

function jsonIn(body: string | undefined): unknown {
  try {
    return parseJson(body ?? '');
  } catch {
    return undefined;
  }
}

/**
 * The message in the body of an error, in the form of OpenAI's and Anthropic's APIs or in a form that servers in front of them use; the
 * `ai` package reads one form for each API, and has the words of the HTTP status otherwise.
 */
function messageIn(body: string | undefined): string | undefined {
  const said = jsonIn(body);
  if (!isRecord(said)) return undefined;
  const { error, message, detail } = said;
  const told = [isRecord(error) ? error['message'] : error, message, detail];
  return told.find((one): one is string => typeof one === 'string' && one !== '');
}

/** The longest reason that a reply is no answer of its API. */
const MAX_REASON_LENGTH = 300;

/** Why a reply, or an event of a stream, is none of its endpoint's API: no JSON, or of another form; undefined for any other error. */
function brokenReplyReason(thrown: Error): string | undefined {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    if (error.name === 'AI_JSONParseError')
      return `is no JSON: ${truncate(rootCauseOf(error).message, MAX_REASON_LENGTH)}`;
    // The package writes what Zod found behind the whole reply, which is JSON in one line, and in places has its words only.
    const [, issues] = /^Type validation failed: [^\n]*\nError message: (\[.*\])$/s.exec(error.message) ?? [];
    if (issues !== undefined)
      return `has another form than its API's: ${truncate(firstIssue(jsonIn(issues)), MAX_REASON_LENGTH)}`;
  }
  return undefined;
}

/** Zod's first issue, with its path; of a union that of an alternative which is not told from the others by its type alone. */
function firstIssue(issues: unknown): string {
  const [issue] = Array.isArray(issues) ? issues.filter(isRecord) : [];
  if (issue === undefined) return 'no field is named';
  const { path, message, errors } = issue;
  const alternatives = Array.isArray(errors)
    ? errors.filter((one) => Array.isArray(one) && one.length > 0)
    : [];
  const chosen: unknown = alternatives.find(([one]) => !isRecord(one) || String(one['path']) !== 'type');
  const place = Array.isArray(path) ? path.join('.') : '';
  const said = alternatives.length === 0 ? String(message) : firstIssue(chosen ?? alternatives[0]);
  return place === '' ? said : `${place}: ${said}`;
}

/** By the code of Node's error: what is wrong with the address. Any other failure to connect may pass. */
const BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host_not_found',
  CERT_HAS_EXPIRED: 'certificate_error',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_error',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_error',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_error',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_error',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_error',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_error',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_error',
  ERR_SSL_UNKNOWN_PROTOCOL: 'tls_error',
};

const NO_TLS = 'no TLS is spoken at its address: is it one of http, not https?';

function connectionFailure(thrown: APICallError): LlmCallFailure {
  const { code, message } = rootCauseOf(thrown) as Error & { code?: unknown };
  if (message === 'bad port') {
    const port = `port ${new URL(thrown.url).port} is one that fetch does not call (https://fetch.spec.whatwg.org/#port-blocking)`;
    return new LlmCallFailure('address_refused', `The LLM endpoint cannot be reached: ${port}.`, {
      cause: thrown,
    });
  }
  const type = BY_CODE[String(code)];
  const said = type === 'tls_error' ? NO_TLS : connectionFailureReason(thrown);
  return new LlmCallFailure(type ?? 'api_error', `The LLM endpoint cannot be reached: ${said}`, {
    kind: type === undefined ? 'passing' : 'final',
    cause: thrown,
  });
}

/** A failure that `fetch` named, under whatever it was wrapped in. */
function failureUnder(thrown: unknown): LlmCallFailure | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof LlmCallFailure) return error;
  return undefined;
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
