import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { RefusedParameters } from './refused-parameters.ts';

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, statusCode, url: 'http://llm', requestBodyValues: {} });

test("what one principal's request caused is never left out of another's, nor for another model", () => {
  const refused = new RefusedParameters();
  expect(refused.record('mole', 'm', refusal('temperature is not supported'))).toEqual(['temperature']);
  expect([...refused.of('mole', 'm')]).toEqual(['temperature']);
  expect([...refused.of('victim', 'm')]).toEqual([]);
  expect([...refused.of('mole', 'n')]).toEqual([]);
});

test('a refusal names its parameters each time, and they add up', () => {
  const refused = new RefusedParameters();
  expect(refused.record('p', 'm', refusal('temperature'))).toEqual(['temperature']);
  expect(refused.record('p', 'm', refusal('temperature and seed'))).toEqual(['temperature', 'seed']);
  expect(refused.record('p', 'm', refusal('something else'))).toEqual([]);
  expect(refused.record('p', 'm', refusal('top_p', 500))).toEqual([]);
  expect([...refused.of('p', 'm')]).toEqual(['temperature', 'seed']);
});

test('what the owner of the agent set is never left out', () => {
  const refused = new RefusedParameters();
  expect(refused.record('p', 'm', refusal('max_tokens is too large'), ['maxTokens'])).toEqual([]);
  expect([...refused.of('p', 'm')]).toEqual([]);
});

test('at most a thousand principals and models are remembered', () => {
  const refused = new RefusedParameters();
  for (let n = 0; n <= 1_000; n++) refused.record(`p${n}`, 'm', refusal('seed'));
  expect([...refused.of('p0', 'm')]).toEqual([]);
  expect([...refused.of('p1000', 'm')]).toEqual(['seed']);
});
