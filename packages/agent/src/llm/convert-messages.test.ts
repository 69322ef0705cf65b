import { expect, test } from 'vitest';
import { convertMessages } from './convert-messages.ts';
import { CallNaming } from './convert-tools.ts';
import { RequestMedia } from './request-media.ts';

const media = new RequestMedia(['example.org']);

test('media of results of tools is shown in a user turn behind all results, and never as text', () => {
  const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
  const call = (id: string) => ({ id, type: 'function', function: { name: 'draw', arguments: '{}' } });
  const { messages } = convertMessages([
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A tree.' }, image] },
    { role: 'tool', tool_call_id: 'b', content: 'done' },
    { role: 'user', content: 'Go on.' },
  ]);
  expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'user']);
  expect(messages[1]).toMatchObject({
    content: [{ output: { type: 'text', value: 'A tree.\n[image/png: see the next message]' } }],
  });
  expect(messages[3]?.content).toMatchObject([
    { type: 'text', text: 'From the result of the tool call a:' },
    { type: 'file', mediaType: 'image/png' },
  ]);
});

test('media of an assistant is shown in a user turn behind it, and behind the results of its calls', () => {
  const image = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' };
  const drawn = [{ type: 'text', text: 'A tree.' }, image];
  const call = { id: 'a', type: 'function', function: { name: 'draw', arguments: '{}' } };
  const { messages } = convertMessages([
    { role: 'assistant', content: drawn },
    { role: 'user', content: 'Again.' },
    { role: 'assistant', content: drawn, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
  ]);
  expect(messages.map(({ role }) => role)).toEqual([
    'assistant',
    'user',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
  expect(messages[0]?.content).toBe('A tree.\n[image/png: see the next message]');
  for (const at of [1, 5])
    expect(messages[at]?.content).toMatchObject([
      { type: 'text', text: 'From your answer:' },
      { type: 'file', mediaType: 'image/png' },
    ]);
});

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

test.each(['', ' ', '\n\n'])('the blank text %j is never sent, and its turn keeps its place', (blank) => {
  const text = { type: 'text', text: blank };
  const call = { id: 'c', name: 'f', arguments: {} };
  const { system, messages } = convertMessages([
    { role: 'system', content: blank },
    { role: 'user', content: [text, { type: 'text', text: 'Hello.' }] },
    { role: 'assistant', content: blank },
    { role: 'user', content: [text] },
    { role: 'assistant', content: [text], toolCalls: [call] },
    { role: 'tool', toolCallId: 'c', content: blank },
    { role: 'user', content: blank },
  ]);
  expect(system).toBe('');
  expect(messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'assistant', content: '(nothing)' },
    { role: 'user', content: '(nothing)' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }] },
    { role: 'tool', content: [expect.objectContaining({ output: { type: 'text', value: '(nothing)' } })] },
    { role: 'user', content: '(nothing)' },
  ]);
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
])('the block %j reaches the model as %j', (block, part) => {
  expect(convertMessages([{ role: 'user', content: [block] }], media).messages).toEqual([
    { role: 'user', content: [part] },
  ]);
});

test.each([
  ['http://169.254.169.254/latest/meta-data/'],
  ['https://169.254.169.254/'],
  ['https://[::1]/a.png'],
  ['http://example.org/a.png'],
  ['https://example.org:8443/a.png'],
  ['https://user:word@example.org/a.png'],
  ['https://example.org.attacker.example/a.png'],
  ['https://images.example.org/a.png'],
  ['file:///etc/passwd'],
  ['nowhere'],
])('the address %s never reaches the endpoint, whichever block holds it', (url) => {
  for (const block of [
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: url },
    { type: 'image', data: `${url}:`, mimeType: 'image/png' },
    { type: 'audio', data: `${url}:` },
    { type: 'resource', resource: { uri: 'x', blob: `${url}:` } },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${url}:` } },
  ])
    expect(() => convertMessages([{ role: 'user', content: [block] }], media)).toThrow(
      expect.objectContaining({ type: 'address_refused', kind: 'final', scope: 'request' }),
    );
});

test('arguments of a call that nest too deep stay the text that they are', () => {
  const deep = '['.repeat(5_000);
  const { messages } = convertMessages([
    { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'f', arguments: deep } }] },
  ]);
  expect(messages).toEqual([
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: deep }] },
  ]);
});

test('names that endpoints refuse are never sent back, and those that are offered stay as they are', () => {
  const names = ['multi_tool_use.parallel', 'own.tool', '', 'n'.repeat(100), 'look-up_2'];
  const calls = names.map((name, at) => ({ id: `c${at}`, name, arguments: {} }));
  const { messages } = convertMessages(
    [
      { role: 'assistant', content: '', toolCalls: calls },
      ...names.map((name, at) => ({ role: 'tool', toolCallId: `c${at}`, name, content: 'done' })),
    ],
    media,
    new CallNaming({ offered: ['own.tool'] }),
  );
  const sent = ['multi_tool_use_parallel', 'own.tool', '_', 'n'.repeat(64), 'look-up_2'];
  const [turn, ...results] = messages.map(({ content }) => content as { toolName: string }[]);
  expect(turn?.map(({ toolName }) => toolName)).toEqual(sent);
  expect(results.map(([result]) => result?.toolName)).toEqual(sent);
});

test('ids that an API refuses are sent in its characters, each result with its call and no two alike', () => {
  const ids = ['call:1', 'call/1', 'call_1', 'ok-1', 'call:1'];
  const given = ids.flatMap((id) => [
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'f', arguments: {} }] },
    { role: 'tool', toolCallId: id, content: 'done' },
  ]);
  const idsOf = (naming: CallNaming) =>
    convertMessages(given, media, naming).messages.map(
      ({ content }) => (content as { toolCallId: string }[])[0]?.toolCallId,
    );
  expect(idsOf(new CallNaming())).toEqual(ids.flatMap((id) => [id, id]));
  const sent = idsOf(new CallNaming({ hasPlainIds: true }));
  expect(sent.filter((id) => !/^[a-zA-Z0-9_-]+$/.test(id ?? ''))).toEqual([]);
  expect(sent.filter((_, at) => at % 2 === 0)).toEqual(sent.filter((_, at) => at % 2 === 1));
  expect(new Set(sent).size).toBe(4);
  expect(sent[0]).toBe(sent[8]);
});
