import { describe, expect, test } from 'vitest';
import { messageSchema, messageText } from './message.ts';

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } };
const blocks = [
  { type: 'text', text: 'see' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
];

describe('a message', () => {
  test.each<[string, object]>([
    ['of a user in words', { role: 'user', content: 'hi' }],
    ['of a user in blocks', { role: 'user', content: blocks }],
    ['of the system', { role: 'system', content: 'be brief' }],
    ['of an assistant in words', { role: 'assistant', content: 'yes' }],
    ['of an assistant with calls beside words', { role: 'assistant', content: 'wait', tool_calls: [call] }],
    ['of an assistant with calls alone', { role: 'assistant', content: null, tool_calls: [call] }],
    ['of a tool', { role: 'tool', tool_call_id: 'c1', content: 'done' }],
    ['of a tool in blocks', { role: 'tool', tool_call_id: 'c1', content: blocks }],
    ['with fields beside', { role: 'user', content: 'hi', cache_control: { type: 'ephemeral' } }],
  ])('%s is taken as it is', (_claim, message) => {
    expect(messageSchema.parse(message)).toEqual(message);
  });

  test.each<[string, object, object]>([
    [
      'an assistant without content',
      { role: 'assistant', tool_calls: [call] },
      { role: 'assistant', content: null, tool_calls: [call] },
    ],
    [
      "calls in Baton's own form",
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'look', arguments: { a: 1 } }] },
      { role: 'assistant', content: '', tool_calls: [call] },
    ],
    [
      'a list without calls',
      { role: 'assistant', content: 'yes', tool_calls: [] },
      { role: 'assistant', content: 'yes' },
    ],
    [
      "a result in Baton's own form",
      { role: 'tool', toolCallId: 'c1', content: 'x' },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ],
  ])('%s becomes the form of the dialog', (_claim, given, message) => {
    expect(messageSchema.parse(given)).toEqual(message);
  });

  test.each<[string, object, string]>([
    ['of nobody', { content: 'x' }, 'role'],
    ['of somebody unknown', { role: 'boss', content: 'x' }, 'role'],
    ['of a user without content', { role: 'user', content: null }, 'content'],
    ['of an assistant without anything', { role: 'assistant', content: null }, 'content'],
    ['of a tool for no call', { role: 'tool', content: 'x' }, 'tool_call_id'],
    ['with calls that are no list', { role: 'assistant', content: '', tool_calls: 'x' }, 'tool_calls'],
    ['with a call that is no object', { role: 'assistant', content: '', tool_calls: [1] }, 'tool_calls.0'],
    [
      'with a call without a name',
      { role: 'assistant', content: '', tool_calls: [{ ...call, function: { arguments: '' } }] },
      'tool_calls.0.function.name',
    ],
    [
      'with arguments that are no text',
      { role: 'assistant', content: '', tool_calls: [{ ...call, function: { name: 'f', arguments: 5 } }] },
      'tool_calls.0.function.arguments',
    ],
    [
      'with 500 calls',
      { role: 'assistant', content: '', tool_calls: Array.from({ length: 500 }, () => call) },
      'tool_calls',
    ],
  ])('%s is refused, naming the field', (_claim, message, field) => {
    const issues = messageSchema.safeParse(message).error?.issues ?? [];
    expect(issues.map(({ path }) => path.join('.'))).toContain(field);
  });
});

test('the words of a message are those of its text blocks', () => {
  expect(messageText({ role: 'user', content: [...blocks, { type: 'text', text: 'this' }] })).toBe(
    'see\nthis',
  );
  expect(messageText({ role: 'assistant', content: null })).toBe('');
});
