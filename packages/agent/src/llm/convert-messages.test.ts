import { expect, test } from 'vitest';
import { convertMessages } from './convert-messages.ts';

test('system messages stand together at the beginning, and turns keep their order', () => {
  expect(
    convertMessages([
      { role: 'system', content: 'One.' },
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'system', content: 'Two.' },
      { role: 'user', content: 'Nothing.' },
    ]),
  ).toEqual({
    system: 'One.\n\nTwo.',
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'Nothing.' },
    ],
  });
});

test('a request of nothing but instructions still has a turn to answer', () => {
  expect(convertMessages([{ role: 'system', content: 'Say a number.' }])).toEqual({
    system: '',
    messages: [{ role: 'user', content: 'Say a number.' }],
  });
});

test.each([
  [
    "OpenAI's form",
    { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":1}' } }] },
    'tool_call_id',
  ],
  ["Baton's own", { toolCalls: [{ id: 'c', name: 'f', arguments: { a: 1 } }] }, 'toolCallId'],
])('calls of tools are read in %s, and their results know what was called', (_form, calls, idField) => {
  const { messages } = convertMessages([
    { role: 'assistant', content: '', ...calls },
    { role: 'tool', [idField]: 'c', content: 'done' },
  ]);
  expect(messages).toEqual([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 } }] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'done' } },
      ],
    },
  ]);
});

test.each([
  [
    { type: 'text', text: 'a' },
    { type: 'text', text: 'a' },
  ],
  [
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'file', data: 'AAAA', mediaType: 'image/png' },
  ],
  [
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'file', data: 'AAAA', mediaType: 'audio/wav' },
  ],
  [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'file', data: 'AAAA', mediaType: 'image/png' },
  ],
  [
    { type: 'image_url', image_url: 'https://example.org/a.png' },
    { type: 'image', image: new URL('https://example.org/a.png') },
  ],
  [
    { type: 'resource', resource: { uri: 'baton://x', text: 'in words' } },
    { type: 'text', text: 'in words' },
  ],
  [
    { type: 'resource', resource: { uri: 'baton://x', blob: 'AAAA', mimeType: 'application/pdf' } },
    { type: 'file', data: 'AAAA', mediaType: 'application/pdf' },
  ],
  [
    { type: 'resource_link', uri: 'baton://x', name: 'X' },
    { type: 'text', text: 'X: baton://x' },
  ],
  [{ type: 'hologram' }, { type: 'text', text: '{"type":"hologram"}' }],
  [
    { type: 'image_url', image_url: { url: 'nowhere' } },
    { type: 'text', text: '{"type":"image_url","image_url":{"url":"nowhere"}}' },
  ],
])('the block %j reaches the model as %j', (block, part) => {
  expect(convertMessages([{ role: 'user', content: [block] }]).messages).toEqual([
    { role: 'user', content: [part] },
  ]);
});
