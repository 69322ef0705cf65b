import { expect, test } from 'vitest';
import { enforceBatchAndFieldLimits } from './batch-and-field-limits.ts';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
const call = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const of = (code: string) => expect.objectContaining({ code });

test('a batch of more messages than a hundred is refused, one of a hundred is not', () => {
  const batch = (count: number) => Array.from({ length: count }, () => call({}));
  expect(() => enforceBatchAndFieldLimits(batch(100))).not.toThrow();
  expect(() => enforceBatchAndFieldLimits(batch(101))).toThrow(of('limit_size'));
});

test.each([
  ['the message', (fields: object) => ({ ...call({}), ...fields })],
  ['params', (fields: object) => call(fields)],
  ['arguments', (fields: object) => call({ arguments: fields })],
  ['_meta', (fields: object) => call({ _meta: fields })],
  ['a message of a batch', (fields: object) => [call({}), call(fields)]],
  ['a result', (fields: object) => ({ jsonrpc: '2.0', id: 1, result: fields })],
])('more fields than two thousand in %s are refused, and what is deeper is not counted', (_where, around) => {
  expect(() => enforceBatchAndFieldLimits(around({ deeper: many(5_000) }))).not.toThrow();
  expect(() => enforceBatchAndFieldLimits(around(many(2_001)))).toThrow(of('limit_size'));
});

test('what is no message is for others to refuse', () => {
  for (const body of [undefined, null, 7, 'x', [], [null, 7]])
    expect(() => enforceBatchAndFieldLimits(body)).not.toThrow();
});
