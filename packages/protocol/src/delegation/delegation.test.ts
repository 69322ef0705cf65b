import { expect, test } from 'vitest';
import { agentResponseSchema } from './answer.ts';
import { delegatedCallDetailsSchema } from './delegation.ts';
import { exceedsValueCount } from '../json/json.ts';
import { measureJsonText } from '../json/json-text-scan.ts';

const list = (length: number, of: unknown) => Array.from({ length }, () => of);
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
const details = (requestParameters: object) =>
  delegatedCallDetailsSchema.safeParse({
    originalCommand: 'x',
    serviceType: 'generateText',
    requestParameters,
  });
const messages = [{ role: 'user', content: 'x' }];

test.each([
  ['nothing', 0, 0],
  ['a list of three', [1, [], {}], 3],
  ['fields and what is in them', { a: [1, 2], b: { c: null } }, 5],
  ['a text of a thousand', 'x'.repeat(1_000), 0],
])('%s holds as many values as it holds', (_what, value, count) => {
  expect(exceedsValueCount(count, value)).toBe(false);
  if (count > 0) expect(exceedsValueCount(count - 1, value)).toBe(true);
});

test('a request of more values than twenty thousand is refused with one problem, however many are wrong', () => {
  const crowded = [
    { messages: list(1_000, { role: 'user', content: list(400, 1) }) },
    { messages, schema: fields(20_001) },
    { messages: [{ ...messages[0], ...fields(20_001) }] },
  ];
  for (const parameters of crowded) {
    const { success, error } = details(parameters);
    expect([success, error?.issues.map(({ message }) => message)]).toEqual([
      false,
      ['must hold at most 20000 values in all'],
    ]);
  }
  expect(details({ messages, schema: fields(10_000) }).success).toBe(true);
});

test("an answer's own fields are bounded, and what it says is not", () => {
  const answer = (more: object) =>
    agentResponseSchema.safeParse({ status: 'success', data: fields(5_000), ...more });
  expect(answer({}).success).toBe(true);
  expect(answer(fields(1_000)).success).toBe(false);
  const failed = { status: 'error', errorDetails: { message: 'x', ...fields(1_001) } };
  expect(agentResponseSchema.safeParse(failed).success).toBe(false);
});

test('only the fields of wide objects are counted as such, however deep they stand', () => {
  const most = { depth: 64, fields: 500, values: Infinity };
  const wide = (value: unknown) => measureJsonText(most, JSON.stringify(value)) === 'fields';
  expect(wide(list(10_000, fields(200)))).toBe(false);
  expect(wide(list(10_000, 1))).toBe(false);
  expect(wide('{,'.repeat(5_000))).toBe(false);
  expect(wide({ a: [fields(250)], b: fields(250) })).toBe(false);
  expect(wide({ a: [fields(260)], b: fields(260) })).toBe(true);
});
