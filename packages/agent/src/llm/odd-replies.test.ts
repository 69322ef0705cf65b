import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndpointKind } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateText, jsonSchema, streamText } from 'ai';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import { answerWith } from './answer-with-model.ts';
import { classifyLlmError } from './classify-llm-error.ts';
import { createModelFactory } from './model-factory.ts';

/** What is said of replies that are none of their API, and of addresses where no API is. */
let reply = { type: '', body: '' };
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': reply.type });
  response.end(reply.body);
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function failureOf(provider: EndpointKind, kind: 'whole' | 'streamed', address?: string) {
  const { port } = server.address() as AddressInfo;
  const endpoint = address ?? `http://127.0.0.1:${port}/v1`;
  const settings = { model: createModelFactory({ provider, endpoint })('m'), prompt: 'x', maxRetries: 0 };
  try {
    if (kind === 'whole') await generateText(settings);
    else
      for await (const part of streamText({ ...settings, onError: () => {} }).fullStream)
        if (part.type === 'error') throw part.error;
  } catch (thrown) {
    return classifyLlmError(thrown);
  }
  throw new Error('It did not fail.');
}

const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }];
const weird = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'weird' }, { type: 'text', text: 'x' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const OF_ANOTHER_FORM = "The LLM endpoint's reply has another form than its API's: ";

test.each<[EndpointKind, unknown, string]>([
  [
    'openai',
    { choices: [null] },
    `${OF_ANOTHER_FORM}choices.0: Invalid input: expected object, received null`,
  ],
  ['anthropic', weird, `${OF_ANOTHER_FORM}content.0.type: Invalid discriminator value.`],
])('a reply of %s of another form names the field that is wrong: %j', async (provider, body, message) => {
  reply = { type: 'application/json', body: JSON.stringify(body) };
  const failure = await failureOf(provider, 'whole');
  expect(failure).toMatchObject({ type: 'api_error', kind: 'passing' });
  expect(failure.message).toContain(message);
  expect(failure.message.length).toBeLessThan(500);
});

test.each(['whole', 'streamed'] as const)(
  'arguments of a call that nest too deep to be read in a %s reply are said to be so',
  async (kind) => {
    const deep = `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`;
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: deep } };
    const said = { role: 'assistant', content: null, tool_calls: [call] };
    const ofKind = kind === 'whole' ? { message: said } : { delta: said };
    const chunk = JSON.stringify({
      id: 'm',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'tool_calls', ...ofKind }],
    });
    reply =
      kind === 'whole'
        ? { type: 'application/json', body: chunk }
        : { type: 'text/event-stream', body: `data: ${chunk}\n\ndata: [DONE]\n\n` };
    const { port } = server.address() as AddressInfo;
    const model = createModelFactory({ provider: 'openai', endpoint: `http://127.0.0.1:${port}/v1` })('m');
    const request = {
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ name: 'look', parameters: { type: 'object' } }],
    };
    const asked = {
      request,
      serviceType: kind === 'whole' ? 'generateText' : 'streamText',
    } as unknown as DelegatedRequest;
    await expect(answerWith(model)(asked, { signal: new AbortController().signal })).rejects.toMatchObject({
      type: 'api_error',
      message: "The LLM endpoint's reply nests too deep to be read.",
    });
  },
);

const streamedCalls = (count: number) => {
  const call = (index: number) => ({ index, id: `c${index}`, function: { name: 'look', arguments: '{}' } });
  const chunks = Array.from({ length: count }, (_, index) => ({
    choices: [{ index: 0, delta: { tool_calls: [call(index)] } }],
  }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
  return [...chunks, end].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
};

test('a stream that calls more than 1,000 functions ends there, and one of 1,000 does not', async () => {
  const { port } = server.address() as AddressInfo;
  const model = createModelFactory({ provider: 'openai', endpoint: `http://127.0.0.1:${port}/v1` })('m');
  const request = { messages: [{ role: 'user', content: 'x' }] };
  const asked = { request, serviceType: 'streamText' } as unknown as DelegatedRequest;
  const answer = () => answerWith(model)(asked, { signal: new AbortController().signal });
  reply = { type: 'text/event-stream', body: streamedCalls(1_000) };
  expect(((await answer()) as { toolCalls: unknown[] }).toolCalls).toHaveLength(1_000);
  reply = { type: 'text/event-stream', body: streamedCalls(1_001) };
  await expect(answer()).rejects.toMatchObject({
    type: 'answer_too_large',
    message: expect.stringContaining('more than 1000'),
  });
});

test('a whole reply of openai is read where counts are text, or arguments an object', async () => {
  const { port } = server.address() as AddressInfo;
  const model = createModelFactory({ provider: 'openai', endpoint: `http://127.0.0.1:${port}/v1` })('m');
  const tool_calls = [
    { id: 'c1', type: 'function', function: { name: 'look', arguments: { at: 'x' } } },
    { id: 'c2', type: 'function', function: { name: 'look' } },
  ];
  const calling = [{ ...choices[0], message: { role: 'assistant', content: null, tool_calls } }];
  const usage = { prompt_tokens: '10', completion_tokens: 5, prompt_tokens_details: { cached_tokens: 'no' } };
  reply = { type: 'application/json', body: JSON.stringify({ choices: calling, usage }) };
  const tools = { look: { inputSchema: jsonSchema({ type: 'object' }) } };
  const said = await generateText({ model, prompt: 'x', maxRetries: 0, tools });
  expect(said.toolCalls.map(({ input }) => input)).toEqual([{ at: 'x' }, {}]);
  expect(said.usage).toMatchObject({ outputTokens: 5 });
});

test.each<[EndpointKind, string, string]>([
  ['openai', '{"choices":7}', `${OF_ANOTHER_FORM}choices: Invalid input: expected array, received number`],
  ['anthropic', '{"type":"content_block_delta"}', `${OF_ANOTHER_FORM}index: `],
  [
    'openai-responses',
    '{"type":"response.output_item.added","item":{"type":"function_call"}}',
    OF_ANOTHER_FORM,
  ],
  ['openai', '{{{', "The LLM endpoint's reply is no JSON: "],
])('an odd event of %s is told in a sentence: %s', async (provider, event, message) => {
  reply = { type: 'text/event-stream', body: `data: ${event}\n\n` };
  const failure = await failureOf(provider, 'streamed');
  expect(failure).toMatchObject({ type: 'api_error', kind: 'passing' });
  expect(failure.message).toContain(message);
  expect(failure.message.length).toBeLessThan(500);
});

test('a reply that is no JSON says so', async () => {
  reply = { type: 'text/plain', body: 'hello' };
  expect((await failureOf('openai', 'whole')).message).toMatch(/^The LLM endpoint's reply is no JSON: ./);
});

test('an address of http that is called by https, and a port that fetch never calls, are not tried again', async () => {
  const { port } = server.address() as AddressInfo;
  expect(await failureOf('openai', 'whole', `https://127.0.0.1:${port}/v1`)).toMatchObject({
    type: 'tls_error',
    kind: 'final',
    message:
      'The LLM endpoint cannot be reached: no TLS is spoken at its address: is it one of http, not https?',
  });
  expect(await failureOf('openai', 'whole', 'http://127.0.0.1:1/v1')).toMatchObject({
    type: 'address_refused',
    kind: 'final',
    message: expect.stringContaining('port 1 is one that fetch does not call'),
  });
});
