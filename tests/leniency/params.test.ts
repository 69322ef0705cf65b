import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const prompt = { name: 'greet', public: true, text: 'Greet them.' };
  await fixture.rest('PUT', '/prompts/greet', prompt);
  const greetOne = { name: 'greet_one', public: true, text: 'Greet {who} {times} times.' };
  const args = [
    { name: 'who', required: true },
    { name: 'times', required: true },
    { name: 'note', required: false },
  ];
  await fixture.rest('PUT', '/prompts/greet_one', { ...greetOne, arguments: args });
  await fixture.put('list_all', [{ name: 'list', tool: 'list_tags' }]);
});
afterAll(() => fixture?.stop());

async function send(method: string, params: unknown): Promise<AnyJson> {
  return (await postJsonRpc(fixture.baton.url(), fixture.key, { jsonrpc: '2.0', id: 1, method, params }))
    .body;
}
const wordsOf = async (name: string, args: unknown) => {
  const { result, error } = await send('prompts/get', { name, arguments: args });
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result.messages.map(({ content }: AnyJson) => content.text);
};

test.each([
  ['ping', null],
  ['ping', { _meta: null }],
  ['tools/list', null],
  ['tools/list', { cursor: null, _meta: null }],
  ['tools/list', { _meta: { progressToken: null } }],
  ['prompts/list', { cursor: null }],
  ['resources/list', { cursor: null }],
  ['resources/templates/list', { cursor: null }],
  ['tools/call', { name: 'pending_interactions', arguments: null, _meta: null, task: null }],
  ['tools/call', { name: 'pending_interactions', arguments: {}, _meta: { progressToken: null } }],
  ['prompts/get', { name: 'greet', arguments: null, _meta: null }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet_one' }, argument: { name: 'who', value: '' }, context: null },
  ],
  [
    'initialize',
    {
      protocolVersion: '2025-11-25',
      capabilities: { roots: null, sampling: null },
      clientInfo: { name: 'x', version: '1', title: null },
      _meta: null,
    },
  ],
])('%s takes params %j', async (method, params) => {
  expect(await send(method, params)).toMatchObject({ result: expect.any(Object) });
});

test('a notification with null params, or null in them, is taken', async () => {
  for (const params of [null, { _meta: null }, { requestId: 1, reason: null }]) {
    const method =
      params !== null && 'requestId' in params ? 'notifications/cancelled' : 'notifications/initialized';
    const reply = await postJsonRpc(fixture.baton.url(), fixture.key, { jsonrpc: '2.0', method, params });
    expect([params, reply.status]).toEqual([params, 202]);
  }
});

test('arguments of a prompt that are null are left out, and numbers and booleans are taken as their text', async () => {
  expect(await wordsOf('greet_one', { who: true, times: 3, note: null })).toEqual(['Greet true 3 times.']);
  const missing = await send('prompts/get', { name: 'greet_one', arguments: { who: 'x', times: null } });
  expect(missing.error.message).toContain('arguments.times: is required');
});

test('words that a host passes to a prompt without arguments stand in the message of the user', async () => {
  expect(await wordsOf('greet', { input: 'some words' })).toEqual(['Greet them.\n\nsome words']);
  const [goal] = await wordsOf('list_all', { input: 'some words' });
  expect(goal).toBe('I want to do list_all\n\nsome words');
});

test('null in what an answer or a request of the caller leaves out is left out at every level', async () => {
  const call = async (args: object) =>
    (await send('tools/call', { name: 'agent_llm', arguments: args })).result.structuredContent;
  const delegatedCallDetails = {
    originalCommand: 'x',
    role: null,
    serviceType: 'generateText',
    requestParameters: {
      modelId: null,
      messages: [{ role: 'user', content: 'x', name: null, tool_calls: null }],
      maxTokens: null,
      temperature: '0.5',
      top_p: null,
      stop: null,
      schema: null,
      objectName: null,
    },
  };
  const asked = await call({ interactionId: null, agentLLMResponse: null, delegatedCallDetails });
  expect(asked.llmRequestForAgent).toMatchObject({ temperature: 0.5 });
  expect(JSON.stringify(asked.llmRequestForAgent.messages)).not.toContain('tool_calls');
  const data = {
    text: 'Yes.',
    object: null,
    content: null,
    toolCalls: null,
    model: null,
    usage: null,
    logprobs: null,
  };
  const { outcome } = await call({
    interactionId: asked.interactionId,
    agentLLMResponse: {
      status: 'success',
      data,
      stream: null,
      chunks: null,
      errorDetails: null,
      delta: null,
    },
    delegatedCallDetails: null,
    waitMs: '25000',
  });
  expect(outcome).toMatchObject({ status: 'completed', result: { response: 'Yes.' } });
  for (const field of ['content', 'toolCalls', 'model', 'usage', 'logprobs'])
    expect(outcome.result).not.toHaveProperty(field);
});
