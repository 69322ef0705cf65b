import {
  CreateMessageRequestParamsSchema,
  CreateMessageResultWithToolsSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  anyObjectSchema,
  extractObject,
  extractText,
  fromSamplingResult,
  type LlmRequest,
  type Message,
  readToolCalls,
  toSamplingRequest,
} from '@baton/protocol';
import { describe, expect, test } from 'vitest';

/** LLM requests as `sampling/createMessage`, and its results as answers, held against the schemas of the official SDK. */
const asked = (messages: readonly Message[], more: Partial<LlmRequest> = {}, takesTools = false) => {
  const call = { serviceType: 'generateText', request: { apiKey: null, messages, ...more } } as const;
  const params = toSamplingRequest(call, takesTools);
  if (params !== undefined) CreateMessageRequestParamsSchema.parse(params);
  return params;
};
const text = (words: string) => ({ type: 'text', text: words }) as const;

describe('a request', () => {
  test('has its system messages as the system prompt, its schema there, its model as a hint', () => {
    const schema = { type: 'object', required: ['a'] };
    const messages = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [text('one'), text('two')] },
    ] satisfies Message[];
    expect(
      asked(messages, { schema, modelId: 'm-1', maxTokens: 9, temperature: 0.5, stop: 'END', topP: 1 }),
    ).toEqual({
      messages: [
        { role: 'user', content: text('Hello') },
        { role: 'assistant', content: text('Hi') },
        { role: 'user', content: [text('one'), text('two')] },
      ],
      systemPrompt: `Be short.\n\nBe kind.\n\nAnswer with one JSON value that fits this JSON Schema, and nothing around it:\n${JSON.stringify(schema)}`,
      maxTokens: 9,
      temperature: 0.5,
      stopSequences: ['END'],
      modelPreferences: { hints: [{ name: 'm-1' }] },
    });
  });

  test('whose pictures, tools and stop words hold no text where text belongs has what is left of them', () => {
    const none = { toString: 1 };
    const content = [
      { type: 'image_url', image_url: { url: none } },
      { type: 'resource', resource: { uri: 'a://b', blob: 'AA==', mimeType: none } },
    ] as unknown as Message['content'];
    const tools = [{ name: none }, { name: 'look' }] as unknown as LlmRequest['tools'];
    const params = asked([{ role: 'user', content } as Message], { tools: tools ?? [], stop: none }, true);
    expect(params).not.toHaveProperty('stopSequences');
    expect(params?.tools).toEqual([{ name: 'look', inputSchema: { type: 'object' } }]);
    expect(JSON.stringify(params?.messages)).toContain('image_url');
  });

  test('of instructions alone asks to follow the last of them', () => {
    const system = ['one', 'two'].map((content) => ({ role: 'system', content }) as const);
    expect(asked(system)).toEqual({
      messages: [{ role: 'user', content: text('two') }],
      systemPrompt: 'one',
      maxTokens: 8_192,
    });
  });

  test('keeps pictures and sounds, and puts other blocks into words', () => {
    const blocks = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'image_url', image_url: { url: 'data:image/gif;base64,AAAA' } },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AAAA', mimeType: 'image/webp' } },
      { type: 'resource', resource: { uri: 'a:c', text: 'of a resource' } },
      { type: 'resource_link', uri: 'a:d', name: 'there' },
    ];
    const content: unknown = asked([{ role: 'user', content: blocks }])?.messages[0]?.content;
    expect(content).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'image', data: 'AAAA', mimeType: 'image/gif' },
      text(JSON.stringify(blocks[3])),
      { type: 'image', data: 'AAAA', mimeType: 'image/webp' },
      text('of a resource'),
      text('there: a:d'),
    ]);
  });

  const call = (id: string, args = '{"city":"Bern"}') =>
    ({ id, type: 'function', function: { name: 'weather', arguments: args } }) as const;
  const dialog = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [call('c1'), call('c2', 'broken')] },
    { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    { role: 'tool', tool_call_id: 'c2', content: [text('sun')] },
    { role: 'user', content: 'And?' },
  ] satisfies Message[];
  const tools = [
    { type: 'function', function: { name: 'weather', description: 'd', parameters: { type: 'object' } } },
  ];

  test('with tools, or turns that called some, is for clients that take tools', () => {
    expect(asked([{ role: 'user', content: 'a' }], { tools })).toBeUndefined();
    expect(asked(dialog)).toBeUndefined();
    expect(asked(dialog, { tools, toolChoice: 'required' }, true)).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Bern' } },
            { type: 'tool_use', id: 'c2', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', toolUseId: 'c1', content: [text('rain')] },
            { type: 'tool_result', toolUseId: 'c2', content: [text('sun')] },
          ],
        },
        { role: 'user', content: text('And?') },
      ],
      tools: [{ name: 'weather', description: 'd', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'required' },
    });
  });
});

describe('a result', () => {
  const answerOf = (content: unknown) => {
    const result = { role: 'assistant', model: 'm', content };
    CreateMessageResultWithToolsSchema.parse(result);
    const read = fromSamplingResult(result);
    if (!read.ok || read.answer.status !== 'success') throw new Error('refused');
    expect(read.answer['model']).toBe('m');
    return read.answer.data;
  };

  test('in words is no data by itself: what was asked for is read out of them', () => {
    const data = answerOf(text('Here: {"a":1}'));
    expect(extractObject(data, anyObjectSchema)).toEqual({ ok: true, value: { a: 1 } });
    expect(extractText(answerOf([text('one'), text('two')]))).toEqual({ ok: true, value: 'one\ntwo' });
  });

  test('brings the calls of tools', () => {
    const data = answerOf([
      text('Let me see.'),
      { type: 'tool_use', id: 'c', name: 'weather', input: { city: 'Bern' } },
    ]);
    expect(readToolCalls(data)).toEqual([{ id: 'c', name: 'weather', arguments: { city: 'Bern' } }]);
    expect(extractText(data)).toEqual({ ok: true, value: 'Let me see.' });
  });

  test.each([
    [null],
    [7],
    [{}],
    [{ role: 'assistant', content: text('a') }],
    [{ role: 'assistant', model: 'm', content: [] }],
  ])('is refused where it is none: %j', (given) => {
    expect(fromSamplingResult(given).ok).toBe(false);
  });
});
