import { BatonError, type DelegatedCall, messageText } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { generateForCaller, generateObject, generateText } from './generate.ts';
import { successAnswer, describeEffect, playProgram, errorAnswer } from '../testing/play-program.ts';

const call = {
  role: 'research',
  modelId: 'model',
  summary: 'counting',
  messages: [{ role: 'user', content: 'How many?' }],
} as const;
const counted = () => generateObject({ ...call, schema: z.object({ n: z.number() }), objectName: 'count' });
const contentOf = (asked: DelegatedCall | undefined, at: number) =>
  messageText(asked?.request.messages[at] ?? { role: 'user', content: '' });
const fenced = '```json\n{"n": 3}\n```';

describe('the first request', () => {
  test('carries the schema, the name, the budget and never a key', () => {
    const full = {
      ...call,
      maxTokens: 100,
      temperature: 0.2,
      schema: z.object({ n: z.number() }),
      objectName: 'count',
    };
    expect(playProgram(generateObject(full), []).calls).toEqual([
      {
        role: 'research',
        serviceType: 'generateObject',
        attempt: 1,
        summary: 'counting',
        request: {
          apiKey: null,
          modelId: 'model',
          messages: [{ role: 'user', content: 'How many?' }],
          maxTokens: 100,
          temperature: 0.2,
          schema: expect.objectContaining({ type: 'object', required: ['n'] }),
          objectName: 'count',
        },
      },
    ]);
  });

  test('does not name limits that the caller did not give', () => {
    const [first] = playProgram(generateText(call), []).calls;
    expect(first?.serviceType).toBe('generateText');
    expect(Object.keys(first?.request ?? {})).toEqual(['apiKey', 'modelId', 'messages']);
  });
});

test.each<[string, NonNullable<unknown>]>([
  ['under object', { object: { n: 3 } }],
  ['bare', { n: 3 }],
  ['as text', { text: '{"n": 3}' }],
  ['as fenced text', { text: fenced }],
  ['as a string of text', '{"n": 3}'],
])('an object is read %s and never asked for again', (_claim, data) => {
  const { effects, end } = playProgram(counted(), [successAnswer(data)]);
  expect(effects.map(describeEffect)).toEqual(['attempt 1']);
  expect(end).toEqual({ value: { n: 3 } });
});

test.each<[string, NonNullable<unknown>]>([
  ['under text', { text: 'three' }],
  ['as a string', 'three'],
  ['as content blocks', { content: [{ type: 'image' }, { type: 'text', text: 'three' }] }],
])('words are read %s and never asked for again', (_claim, data) => {
  expect(playProgram(generateText(call), [successAnswer(data)]).end).toEqual({ value: 'three' });
});

describe('asking again after a wrong answer', () => {
  test.each<[string, NonNullable<unknown>, string, string]>([
    ['names the field', { object: { n: 'three' } }, '{"n":"three"}', 'n: Invalid input: expected number'],
    ['names a missing field', { object: {} }, '{}', 'n: is required: number'],
    ['says that text is not JSON', { text: 'three' }, 'three', 'the text is not JSON'],
  ])('%s and quotes the answer', (_claim, data, quoted, problem) => {
    const [first, second] = playProgram(counted(), [successAnswer(data)]).calls;
    expect(first?.request.messages).toHaveLength(1);
    expect(second?.request.messages).toEqual([
      { role: 'user', content: 'How many?' },
      { role: 'assistant', content: quoted },
      { role: 'user', content: expect.stringContaining(problem) },
    ]);
  });

  test('carries the last correction only, so that requests never grow with every attempt', () => {
    const { calls } = playProgram(counted(), [successAnswer({ n: 'one' }), successAnswer({ n: 'two' })]);
    expect(calls[2]?.request.messages.map(({ content }) => content)).toEqual([
      'How many?',
      '{"n":"two"}',
      expect.stringContaining('cannot be used'),
    ]);
  });

  test('keeps the correction when the agent then fails to ask', () => {
    const { calls } = playProgram(counted(), [successAnswer({ n: 'one' }), errorAnswer('api_error'), null]);
    expect(calls[2]?.request.messages).toEqual(calls[1]?.request.messages);
  });

  test('quotes a long answer in part, never half a character of it', () => {
    const { calls } = playProgram(counted(), [
      successAnswer({ text: `${'x'.repeat(19_999)}\u{1f600}${'y'.repeat(50_000)}` }),
    ]);
    const quoted = contentOf(calls[1], 1);
    expect(quoted.length).toBe(19_999);
    expect(quoted.at(-1)).toBe('x');
  });

  test('says what is wrong in less than the answer, however much is wrong with it', () => {
    const strict = () => generateObject({ ...call, schema: z.strictObject({}), objectName: 'none' });
    const unwanted = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field${index}`, 1]));
    const { calls } = playProgram(strict(), [successAnswer({ object: unwanted })]);
    expect(contentOf(calls[1], 2).slice(0, 100)).toContain('field0');
    expect(contentOf(calls[1], 2).length).toBeLessThan(5_000);
  });

  test('text nested deeper than JSON may come is a wrong answer, never a broken program', () => {
    const anything = () =>
      generateObject({ ...call, schema: z.object({ n: z.unknown() }), objectName: 'any' });
    const deep = `{"n":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { calls, end } = playProgram(anything(), [successAnswer({ text: deep })]);
    expect(end).toBeUndefined();
    expect(contentOf(calls[1], 2)).toContain('deeper than 64');
  });
});

describe('the request of a caller', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } } };
  const asked = (serviceType: 'generateObject' | 'generateText', given: object = {}) =>
    generateForCaller({ ...call, serviceType, parameters: { objectName: 'count', topP: 1 }, ...given });

  test('goes out with its parameters, never with a key of its own', () => {
    const parameters = { topP: 1, apiKey: 'sk-1', modelId: 'other' };
    const [first] = playProgram(asked('generateText', { parameters }), []).calls;
    expect(first?.request).toEqual({ topP: 1, apiKey: null, modelId: 'model', messages: call.messages });
  });

  test('with a schema is checked by the check effect, whose verdict decides', () => {
    const data = { object: { n: 'three' } };
    const { effects, end } = playProgram(asked('generateObject', { schema }), [
      successAnswer(data),
      { ok: false, problem: 'n must be number' },
      successAnswer({ n: 3 }),
      { ok: true, value: { n: 3 } },
    ]);
    expect(effects.map(describeEffect)).toEqual(['attempt 1', 'check', 'attempt 2', 'check']);
    expect(effects[1]).toEqual({ kind: 'check', schema, data });
    expect(end).toEqual({ value: { response: { n: 3 }, data: { n: 3 }, toolCalls: [] } });
  });

  test('never carries a verdict that is as long as the answer', () => {
    const verdict = { ok: false, problem: 'n is wrong '.repeat(100_000) };
    const { calls } = playProgram(asked('generateObject', { schema }), [successAnswer({}), verdict]);
    expect(contentOf(calls[1], 2).length).toBeLessThan(10_000);
  });

  test('carries the verdict into the next asking', () => {
    const { calls } = playProgram(asked('generateObject', { schema }), [
      successAnswer({ n: 'x' }),
      { ok: false, problem: 'n: bad' },
    ]);
    expect(contentOf(calls[1], 2)).toContain('n: bad');
  });

  test.each<[string, 'generateObject' | 'generateText', NonNullable<unknown>, unknown]>([
    ['for text is answered in words', 'generateText', { text: 'three' }, 'three'],
    ['for an object takes any object', 'generateObject', { object: { n: 'x' } }, { n: 'x' }],
    ['for an object takes bare data', 'generateObject', { n: 'x' }, { n: 'x' }],
    ['for an object takes JSON text', 'generateObject', fenced, { n: 3 }],
  ])('without a schema %s and is not checked', (_claim, serviceType, data, value) => {
    const { effects, end } = playProgram(asked(serviceType), [successAnswer(data)]);
    expect(effects.map(describeEffect)).toEqual(['attempt 1']);
    expect(end).toEqual({ value: { response: value, data, toolCalls: [] } });
  });

  const looking = { parameters: { tools: [{ name: 'look' }] } };
  const calls = { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] };
  const openAi = {
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
  };
  const anthropic = { content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] };
  test.each([
    ["Baton's", calls],
    ["OpenAI's", openAi],
    ["Anthropic's", anthropic],
  ])('is answered by calls of tools in %s form without a word', (_form, data) => {
    const offering = { schema, parameters: { tools: [{ type: 'function', function: { name: 'look' } }] } };
    const unnamed = { parameters: { tools: [{ type: 'web_search' }] } };
    for (const offers of [looking, unnamed])
      expect(playProgram(asked('generateText', offers), [successAnswer(data)]).end).toEqual({
        value: { response: '', data, ...calls },
      });
    expect(playProgram(asked('generateObject', offering), [successAnswer(data)]).end).toEqual({
      value: { response: '', data, ...calls },
    });
  });

  test.each([
    ["Baton's", calls],
    ["OpenAI's", openAi],
    ["Anthropic's", anthropic],
  ])(
    'for text is asked for again where a call in %s form is all there is, of no tool that it offers',
    (_form, data) => {
      const words = successAnswer({ text: 'three' });
      const without = playProgram(asked('generateText'), [successAnswer(data), words]);
      expect(contentOf(without.calls[1], 2)).toContain('no function is offered here');
      const other = { parameters: { tools: [{ name: 'see' }, { name: 'hear' }] } };
      const wordless = successAnswer({ text: '', ...data });
      const among = playProgram(asked('generateText', other), [wordless, words]);
      const told = contentOf(among.calls[1], 2);
      expect(told).toContain("there is no tool 'look'; the request offers see, hear");
      expect(told).not.toContain('no function is offered');
      expect(contentOf(among.calls[1], 1), 'the turn that is wrong').toContain('look');
      for (const { end } of [without, among])
        expect(end).toMatchObject({ value: { response: 'three', toolCalls: [] } });
    },
  );

  test('for an object without tools takes fields that are named like calls', () => {
    const data = { toolCalls: 5 };
    expect(playProgram(asked('generateObject'), [successAnswer(data)]).end).toEqual({
      value: { response: data, data, toolCalls: [] },
    });
  });

  test('never gets a broken call: it is asked for again with what is wrong', () => {
    const broken = { text: 'wait', toolCalls: [{ id: 'c1', name: 'look', arguments: '{"a":' }] };
    const played = playProgram(asked('generateText', looking), [successAnswer(broken), successAnswer(calls)]);
    expect(contentOf(played.calls[1], 2)).toContain(
      "the tool call 'c1' is broken: its arguments are not JSON",
    );
    expect(played.end).toEqual({ value: { response: '', data: calls, ...calls } });
  });
});

test('an interaction that expired is not asked again where its role has one route', () => {
  const expired = new BatonError('interaction_expired', 'too late', { interactionId: 'i' });
  const { effects, end } = playProgram(counted(), [expired, { routes: 1 }]);
  expect(effects.map(describeEffect)).toEqual(['attempt 1', 'lookup']);
  expect(end).toMatchObject({
    error: { code: 'interaction_expired', message: 'too late', details: { interactionId: 'i', attempts: 1 } },
  });
});
