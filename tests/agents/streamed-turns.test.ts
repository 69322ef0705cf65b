import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** `ask_assistant` with `stream: true`: the words of the primary as they come, around calls of specialists. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

const post = (interactionId: string, agentLLMResponse: object, replica = 0) =>
  fixture.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 }, replica);
const chunk = (interactionId: string, sequence: number, delta: string) =>
  post(interactionId, { status: 'streaming', sequence, delta }, sequence % 2);

test('the words of a turn are heard as they come, on another replica, also after a specialist was called', async () => {
  const asked = await fixture.call('ask_assistant', { message: 'Weather?', stream: true });
  const { taskId } = asked;
  expect(asked).toMatchObject({ serviceType: 'streamText', operation: 'ask_assistant' });
  expect(asked.llmRequestForAgent.tools).toHaveLength(2);
  const heard: Progress[] = [];
  const waiting = fixture.clients[1]!.callTool(
    { name: 'task_status', arguments: { taskId, waitMs: 20_000 } },
    undefined,
    { onprogress: (progress) => void heard.push(progress) },
  );
  await chunk(asked.interactionId, 0, 'I ');
  await chunk(asked.interactionId, 1, 'search.');
  await waitUntilOrThrow('the words are heard', 10_000, async () => {
    return heard.map(({ message }) => message).join('') === 'I search.';
  });
  const call = { name: 'web_search', arguments: { query: 'weather' } };
  const { outcome } = await post(asked.interactionId, { status: 'success', data: calling(call) });
  // A specialist answers in one piece.
  expect(outcome.pending).toMatchObject({ serviceType: 'generateText' });
  await waiting;
  const next = await fixture.answer(outcome.pending.interactionId, { text: 'Sunny.' });
  const { messages } = next.pending.llmRequestForAgent;
  expect(messages.at(-2)).toMatchObject({
    role: 'assistant',
    content: 'I search.',
    tool_calls: [{ function: { name: 'web_search' } }],
  });
  expect(next.pending.serviceType).toBe('streamText');
  const { interactionId } = next.pending;
  await chunk(interactionId, 1, 'sunny.');
  await chunk(interactionId, 0, 'It is ');
  const status = await fixture.call('task_status', { taskId }, 1);
  expect(status.streaming).toMatchObject([{ interactionId, text: 'It is sunny.', chunks: 2 }]);
  const usage = { inputTokens: 3, outputTokens: 4 };
  const ended = await post(interactionId, { status: 'success', chunks: 2, data: { usage } });
  const { response, conversationId } = ended.outcome.result;
  expect(response).toBe('It is sunny.');
  const later = await fixture.ask('And?', conversationId, 1);
  expect(later.llmRequestForAgent.messages.map(({ content }: AnyJson) => content).slice(1)).toEqual([
    'Weather?',
    'I search.',
    'Sunny.',
    'It is sunny.',
    'And?',
  ]);
});

test('a stream with a gap leaves its turn pending, and an error that ends it leaves the conversation as it was', async () => {
  const begun = await fixture.ask('Begin');
  const { result } = await fixture.answer(begun.interactionId, { text: 'Begun.' });
  const { conversationId } = result;
  const asked = await fixture.call('ask_assistant', { message: 'Tell', conversationId, stream: true });
  await chunk(asked.interactionId, 0, 'Once ');
  await chunk(asked.interactionId, 2, 'a time');
  const answer = { status: 'success', data: {} };
  const args = { interactionId: asked.interactionId, agentLLMResponse: answer };
  const gap = await callToolForError(fixture.clients[1]!, 'agent_llm', args);
  expect(gap).toMatchObject({ code: 'invalid_arguments', sequence: 1 });
  const errorDetails = { type: 'refused', message: 'no' };
  const failed = await post(asked.interactionId, { status: 'error', errorDetails });
  expect(failed.outcome).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
  const next = await fixture.ask('Again', conversationId);
  const contents = next.llmRequestForAgent.messages.map(({ content }: AnyJson) => content);
  expect(contents.slice(1)).toEqual(['Begin', 'Begun.', 'Again']);
});

test('where there is no primary a message is refused with the way out, and no conversation begins', async () => {
  const key = await fixture.baton.addTenant('nobody');
  const client = await connectMcpClient(fixture.baton.url(), key);
  const error = await callToolForError(client, 'ask_assistant', { message: 'Anyone?' });
  expect(error).toMatchObject({ code: 'agent_not_found' });
  expect(error.message).toContain('PUT /v1/agents/{id}');
  const { structuredContent } = await client.callTool({ name: 'list_conversations', arguments: {} });
  expect(structuredContent).toMatchObject({ conversations: [] });
  await client.close();
});
