import type { DelegatedCall, JsonObject } from '@baton/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { AnswerChecker } from './answer-checker.ts';

const fit = new AnswerChecker();
afterAll(() => fit.close());

function call(schema: JsonObject | undefined, serviceType: DelegatedCall['serviceType'] = 'generateObject') {
  const request = { apiKey: null, modelId: 'm', messages: [], ...(schema === undefined ? {} : { schema }) };
  return { role: 'main', serviceType, attempt: 1, summary: '', principal: 'ann', request } as const;
}

const person: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', pattern: '^[A-Z]' }, age: { type: 'integer' } },
  required: ['name'],
};

describe('an answer to a request with a schema', () => {
  test.each<[string, unknown]>([
    ['as object', { object: { name: 'Ada' }, model: 'm' }],
    ['bare', { name: 'Ada', age: 3 }],
    ['as text', { text: '{"name":"Ada"}' }],
    ['in a code fence', { text: 'Here:\n```json\n{"name":"Ada"}\n```' }],
    ['as a string', '{"name":"Ada"}'],
  ])('fits %s', async (_how, data) => {
    expect(await fit.findProblem(call(person), data)).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ['a field of another type', { object: { name: 'Ada', age: 'three' } }, 'age: must be integer'],
    ['a missing field', { object: {} }, 'name: is required'],
    ['a text that its expression does not match', { object: { name: 'ada' } }, 'name: must match pattern'],
    ['no JSON', { text: 'Ada' }, 'not JSON'],
  ])('does not fit with %s, and is told why', async (_what, data, problem) => {
    expect(await fit.findProblem(call(person), data)).toContain(problem);
  });

  test('that calls tools need not fit yet', async () => {
    expect(await fit.findProblem(call(person), { text: '', toolCalls: [{ id: '1' }] })).toBeUndefined();
  });

  test('is left to Baton when the schema is of no use, and the next one is checked all the same', async () => {
    for (const schema of [{ type: 'nonsense' }, { $ref: 'http://127.0.0.1:9/x.json' }] as JsonObject[])
      expect(await fit.findProblem(call(schema), { object: {} })).toBeUndefined();
    expect(await fit.findProblem(call(person), { object: {} })).toContain('name');
  });

  // Otherwise it would not end before the test must.
  test('is checked in linear time, whatever expression the schema holds', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
      required: ['a'],
    };
    expect(await fit.findProblem(call(schema), { object: { a: `${'a'.repeat(5_000)}!` } })).toContain(
      'pattern',
    );
  });
});

describe('an answer to a request without a schema', () => {
  test('for words is words, in either form', async () => {
    expect(await fit.findProblem(call(undefined, 'generateText'), { text: 'yes' })).toBeUndefined();
    const content = [{ type: 'text', text: 'yes' }];
    expect(await fit.findProblem(call(undefined, 'streamText'), { content })).toBeUndefined();
    expect(await fit.findProblem(call(undefined, 'generateText'), { object: 1 })).toContain('no text');
  });

  test('for an object is anything but words', async () => {
    expect(await fit.findProblem(call(undefined), { text: '{"any":1}' })).toBeUndefined();
    expect(await fit.findProblem(call(undefined), 'words')).toContain('not JSON');
  });
});
