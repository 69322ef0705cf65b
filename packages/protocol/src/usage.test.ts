import { expect, test } from 'vitest';
import { agentResponseSchema, type AgentAnswer } from './delegation/answer.ts';
import { priceTableSchema } from './price-table.ts';
import { MAX_TOKENS_PER_ANSWER, readAnswerUsage } from './usage.ts';

const success = (data: unknown, beside: object = {}) =>
  agentResponseSchema.parse({ status: 'success', data, ...beside }) as AgentAnswer;
const usageOf = (usage: unknown) => readAnswerUsage(success({ text: 'x', usage }));

test.each([
  ["Baton's and AI SDK's", { inputTokens: 3, outputTokens: 4, totalTokens: 7 }],
  ["Anthropic's", { input_tokens: 3, output_tokens: 4 }],
  [
    "OpenAI's",
    { prompt_tokens: 3, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 1 } },
  ],
  ["AI SDK's of before", { promptTokens: 3, completionTokens: 4 }],
  [
    "a provider's of AI SDK",
    { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 4, text: 4 } },
  ],
])('usage in the form that is %s is read', (_whose, usage) => {
  expect(usageOf(usage)).toEqual({
    inputTokens: 3,
    outputTokens: 4,
    failed: false,
    model: '',
    problem: undefined,
  });
});

test('usage is found in the data, in its response, in the details of an error and in the envelope', () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const failed = { status: 'error', errorDetails: { message: 'no', usage, model: 'm' } } as const;
  const found = [
    readAnswerUsage(success({ text: 'x', usage, model: 'm' })),
    readAnswerUsage(success({ text: 'x', response: { usage, model: 'm' } })),
    readAnswerUsage(success('just text', { usage, model: 'm' })),
    readAnswerUsage(agentResponseSchema.parse(failed) as AgentAnswer),
  ];
  for (const one of found) expect(one).toMatchObject({ inputTokens: 1, outputTokens: 2, model: 'm' });
  expect(found.map((one) => one.failed)).toEqual([false, false, false, true]);
});

test.each([-1, 0.5, '12', 1e308, MAX_TOKENS_PER_ANSWER + 1, true, [], {}, { total: -1 }, Number.NaN])(
  'a count of %j counts as not given, the other one counts, and the problem names the field',
  (count) => {
    const read = usageOf({ input_tokens: count, output_tokens: 5 });
    expect(read).toMatchObject({ inputTokens: undefined, outputTokens: 5 });
    expect(read.problem).toMatch(/^usage\.input_tokens is not counted: .+ is no whole number from 0 to /);
  },
);

test('what is not given is no problem, 0 counts, and a usage that is no object is named', () => {
  expect(usageOf(undefined).problem).toBeUndefined();
  expect(usageOf(null).problem).toBeUndefined();
  expect(usageOf({})).toMatchObject({ inputTokens: undefined, problem: undefined });
  expect(usageOf({ inputTokens: null, prompt_tokens: 0 })).toMatchObject({
    inputTokens: 0,
    problem: undefined,
  });
  expect(usageOf('12 tokens').problem).toBe('usage is not counted: it is no object');
});

test('a model is one line of at most 64 characters, and nothing where it is no text', () => {
  const model = (given: unknown) => readAnswerUsage(success({ text: 'x', model: given })).model;
  expect(model(' a\nb;c ')).toBe('a b;c');
  expect([...model('ü'.repeat(500))]).toHaveLength(64);
  expect(model('\ud83d'.repeat(3)).isWellFormed()).toBe(true);
  expect([model(7), model(undefined), model({})]).toEqual(['', '', '']);
});

test.each([
  [{ currency: 'EUR', models: { m: { input: -1, output: 1 } } }, 'models.m.input'],
  [{ currency: 'EUR', models: { m: { input: Number.NaN, output: 1 } } }, 'models.m.input'],
  [{ currency: 'EUR', models: { m: { input: 1, output: 1e308 } } }, 'models.m.output'],
  [{ currency: 'euro', models: {} }, 'currency'],
  [{ currency: 'EUR', models: { m: { input: 1 } } }, 'models.m.output'],
])('prices that make no sense are refused by the place: %j', (table, place) => {
  const { error } = priceTableSchema.safeParse(table);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
});
