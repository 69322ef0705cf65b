import { describe, expect, test } from 'vitest';
import { MAX_TOOL_CALLS } from './message.ts';
import { readToolCalls, toToolCall } from './tool-calls.ts';

const read = { id: 'c1', name: 'look', arguments: { a: 1 } };
const openAi = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } };
const anthropic = { type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } };

test.each<[string, unknown, unknown[]]>([
  ["Baton's form", { toolCalls: [read] }, [read]],
  ["Baton's form with arguments as text", { toolCalls: [{ ...read, arguments: '{"a":1}' }] }, [read]],
  ["OpenAI's form under Baton's name", { toolCalls: [openAi] }, [read]],
  ["OpenAI's form beside text", { text: 'wait', tool_calls: [{ ...openAi, index: 0 }] }, [read]],
  ["Anthropic's form beside text", { content: [{ type: 'text', text: 'wait' }, anthropic] }, [read]],
  ['one call without its list', { toolCalls: read }, [read]],
  ['no arguments', { toolCalls: [{ id: 'c1', name: 'look' }] }, [{ ...read, arguments: {} }]],
  [
    'empty arguments',
    { tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '' } }] },
    [{ ...read, arguments: {} }],
  ],
  ['an id that is a number', { toolCalls: [{ ...read, id: 7 }] }, [{ ...read, id: '7' }]],
  ['two lists, of which the first that holds any is meant', { toolCalls: [], tool_calls: [openAi] }, [read]],
  [
    'calls without ids, as some endpoints give them',
    { tool_calls: [{ function: openAi.function }, { ...openAi, id: null }] },
    [
      { ...read, id: 'call_1' },
      { ...read, id: 'call_2' },
    ],
  ],
  ['no calls', { text: 'done', toolCalls: [], tool_calls: null }, []],
  ['words', 'done', []],
  ['nothing', null, []],
])('calls are read from %s', (_claim, data, calls) => {
  expect(readToolCalls(data)).toEqual(calls);
});

describe('a broken call', () => {
  test.each<[string, unknown, object]>([
    ['that is no object', 5, { id: 'call_1', name: '', problem: 'it is no object' }],
    ['without a name', { id: 'c1', arguments: {} }, { problem: 'it names no function' }],
    ['of an unknown type', { ...read, type: 'custom' }, { problem: expect.stringContaining('"custom"') }],
    [
      'with arguments that are no JSON',
      { ...read, arguments: '{"a":' },
      { arguments: '{"a":', problem: expect.stringMatching(/not JSON .*: \{"a":$/) },
    ],
    [
      'with a list for arguments',
      { ...read, arguments: [1] },
      { problem: 'its arguments are no object: [1]' },
    ],
    [
      'with arguments that nest too deep',
      { ...read, arguments: '['.repeat(5_000) },
      { problem: expect.stringContaining('deeper') },
    ],
    ['that sets a prototype', { ...read, arguments: '{"__proto__":{}}' }, { problem: expect.any(String) }],
  ])('%s is named, and can be answered under an id', (_claim, call, expected) => {
    expect(readToolCalls({ toolCalls: [call] })).toEqual([expect.objectContaining(expected)]);
  });

  test('with the id of another has one of its own, and is as good as any', () => {
    const ids = readToolCalls({ toolCalls: [read, read, { ...read, id: 'c1_2' }] });
    expect(ids.map(({ id }) => id)).toEqual(['c1', 'c1_2_2', 'c1_2']);
    expect(ids.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
  });

  test.each([MAX_TOOL_CALLS, MAX_TOOL_CALLS + 1, 500])('%i at once', (count) => {
    const calls = readToolCalls({
      toolCalls: Array.from({ length: count }, (_, n) => ({ ...read, id: `c${n}` })),
    });
    expect(calls).toHaveLength(MAX_TOOL_CALLS);
    const refused = calls.filter(({ problem }) => problem?.startsWith(`${count} calls were made at once`));
    expect(refused).toHaveLength(count > MAX_TOOL_CALLS ? MAX_TOOL_CALLS : 0);
  });
});

test('in the dialog the arguments of a call are always JSON of an object', () => {
  const [good, broken] = readToolCalls({ toolCalls: [read, { id: 'c2', name: 'look', arguments: '{"a":' }] });
  expect(good && toToolCall(good)).toEqual(openAi);
  expect(broken && toToolCall(broken).function.arguments).toBe('{}');
});
