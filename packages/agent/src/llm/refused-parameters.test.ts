import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { RefusedParameters } from './refused-parameters.ts';

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, statusCode, url: 'http://llm', requestBodyValues: {} });

test("what one principal's request caused is never left out of another's, nor for another model", () => {
  const refused = new RefusedParameters();
  expect(refused.record('mole', 'm', refusal('temperature is not supported'))).toBe(true);
  expect(refused.has('mole', 'm', 'temperature')).toBe(true);
  expect(refused.has('victim', 'm', 'temperature')).toBe(false);
  expect(refused.has('mole', 'n', 'temperature')).toBe(false);
});

test('a call is repeated only for a parameter that was still sent', () => {
  const refused = new RefusedParameters();
  expect(refused.record('p', 'm', refusal('temperature'))).toBe(true);
  expect(refused.record('p', 'm', refusal('temperature'))).toBe(false);
  expect(refused.record('p', 'm', refusal('something else'))).toBe(false);
  expect(refused.record('p', 'm', refusal('seed', 500))).toBe(false);
});

test('what the owner of the agent set is never left out', () => {
  const refused = new RefusedParameters();
  expect(refused.record('p', 'm', refusal('max_tokens is too large'), ['maxTokens'])).toBe(false);
  expect(refused.has('p', 'm', 'maxTokens')).toBe(false);
});

test('at most a thousand principals and models are remembered', () => {
  const refused = new RefusedParameters();
  for (let n = 0; n <= 1_000; n++) refused.record(`p${n}`, 'm', refusal('seed'));
  expect(refused.has('p0', 'm', 'seed')).toBe(false);
  expect(refused.has('p1000', 'm', 'seed')).toBe(true);
});
