import { APICallError, UnsupportedFunctionalityError } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { classifyLlmError, failureInBody } from './classify-llm-error.ts';

function refused(statusCode: number | undefined, responseHeaders: Record<string, string> = {}) {
  return classifyLlmError(
    new APICallError({
      message: 'no',
      url: 'http://llm',
      requestBodyValues: {},
      responseHeaders,
      ...(statusCode === undefined ? {} : { statusCode }),
    }),
  );
}

test.each([
  [401, 'authentication_error', 'final'],
  [402, 'billing_error', 'final'],
  [400, 'invalid_request_error', 'final'],
  [403, 'permission_error', 'final'],
  [404, 'not_found_error', 'final'],
  [418, 'invalid_request_error', 'final'],
  [408, 'timeout_error', 'passing'],
  [429, 'rate_limit_error', 'passing'],
  [500, 'api_error', 'passing'],
  [502, 'api_error', 'passing'],
  [503, 'overloaded_error', 'passing'],
  [529, 'overloaded_error', 'passing'],
  [200, 'api_error', 'passing'],
  [undefined, 'api_error', 'passing'],
])('a reply of %s is a %s, and %s', (status, type, kind) => {
  expect(refused(status)).toMatchObject({ type, kind });
});

test.each([
  ['{"error":{"message":"No such fixture","type":"invalid_request_error"}}', 'No such fixture'],
  ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'Overloaded'],
  ['{"error":"model not found"}', 'model not found'],
  ['{"detail":"Too busy"}', 'Too busy'],
  ['{"detail":[{"msg":"Too busy"}]}', 'no'],
  ['<html>Bad gateway</html>', 'no'],
  ['', 'no'],
])('the message of an error is found in the body %s, whichever API it is of', (responseBody, message) => {
  const error = new APICallError({
    message: 'no',
    url: 'http://llm',
    requestBodyValues: {},
    statusCode: 503,
    responseBody,
  });
  expect(classifyLlmError(error).message).toBe(`The LLM endpoint answered 503: ${message}`);
});

test.each([
  [{ type: 'overloaded_error', message: 'x' }, 'overloaded_error', 'passing'],
  [{ type: 'error', code: 'rate_limit_exceeded', message: 'x' }, 'rate_limit_error', 'passing'],
  [{ type: 'insufficient_quota', message: 'x' }, 'billing_error', 'final'],
  [{ type: 'invalid_request_error', code: 503, message: 'x' }, 'overloaded_error', 'passing'],
  [{ type: 'server_error', message: 'x' }, 'api_error', 'passing'],
])('the error %j within a reply of status 200 is a %s', (error, type, kind) => {
  expect(failureInBody(JSON.stringify({ error }))).toMatchObject({ type, kind });
  expect(classifyLlmError(error)).toMatchObject({ type, kind });
});

test('a quota that is used up does not pass, though its status is that of a rate', () => {
  const error = new APICallError({
    message: 'no',
    url: 'http://llm',
    requestBodyValues: {},
    statusCode: 429,
    responseBody: '{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}',
  });
  expect(classifyLlmError(error)).toMatchObject({ type: 'billing_error', kind: 'final' });
});

test('a failure that has a name keeps it, and what is not of the endpoint is not tried again', () => {
  const own = new LlmCallFailure('mine', 'x');
  expect(classifyLlmError(own)).toBe(own);
  expect(classifyLlmError(new RangeError('a bug'))).toMatchObject({ type: 'api_error', kind: 'final' });
  const unsupported = new UnsupportedFunctionalityError({ functionality: 'audio/x-foo' });
  expect(classifyLlmError(unsupported)).toMatchObject({ type: 'content_not_supported', kind: 'final' });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['milliseconds, where an endpoint gives them', { 'retry-after': '7', 'retry-after-ms': '1500' }, 1_500],
    ['a date that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ])('is read as %s', (_form, headers, ms) => {
    expect(refused(429, headers).retryAfterMs).toBe(ms);
  });

  test('is read as a date to come', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-10-21T07:28:00Z') });
    const { retryAfterMs } = refused(503, { 'retry-after': 'Wed, 21 Oct 2026 07:29:00 GMT' });
    vi.useRealTimers();
    expect(retryAfterMs).toBe(60_000);
  });

  test.each([{}, { 'retry-after': 'soon' }] as Record<string, string>[])(
    'is nothing in %j, nor where another try is of no use',
    (headers) => {
      expect(refused(429, headers).retryAfterMs).toBeUndefined();
      expect(refused(400, { 'retry-after': '7' }).retryAfterMs).toBeUndefined();
    },
  );
});

// A time that grows with the square of the length would be more than a test has.
test('an endpoint whose message imitates many failed checks is answered all the same', () => {
  const message = `Type validation failed: x${'\nError message: []'.repeat(100_000)}x`;
  const error = new APICallError({ message, url: 'http://llm', requestBodyValues: {}, statusCode: 400 });
  expect(classifyLlmError(error)).toMatchObject({ type: 'invalid_request_error', kind: 'final' });
});
