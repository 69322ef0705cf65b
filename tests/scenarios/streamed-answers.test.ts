import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Progress, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

/** Answers that are streamed: read on one replica while they come to another, checked against their chunks, begun anew. */
let baton: InProcessDeployment;
let one: Client;
let other: Client;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1, lifetimes: { interaction: 20_000 } });
  [one, other] = (await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), baton.apiKey)))) as [
    Client,
    Client,
  ];
});
afterEach(() => {
  other.removeNotificationHandler('notifications/resources/updated');
});
afterAll(() => baton?.stop());

async function open(): Promise<{ interactionId: string; taskId: string }> {
  const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
  const delegatedCallDetails = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
  return callTool(one, 'agent_llm', { delegatedCallDetails });
}

const post = (interactionId: string, agentLLMResponse: object) =>
  callTool(one, 'agent_llm', { interactionId, agentLLMResponse });
const refusal = (interactionId: string, agentLLMResponse: object) =>
  callToolForError(other, 'agent_llm', { interactionId, agentLLMResponse });
const chunk = (interactionId: string, sequence: number, delta: string, more: object = {}) =>
  post(interactionId, { status: 'streaming', sequence, delta, ...more });
const success = (data: object, more: object = {}) => ({ status: 'success', data, ...more });

test('what came so far is shown by task_status, REST and the resource of another replica, up to the first gap', async () => {
  const { interactionId, taskId } = await open();
  expect(await callTool(other, 'task_status', { taskId })).not.toHaveProperty('streaming');
  for (const sequence of [0, 1, 3]) await chunk(interactionId, sequence, `${sequence} `);
  const streaming = [{ interactionId, text: '0 1 ', chunks: 2, complete: false }];
  expect((await callTool(other, 'task_status', { taskId })).streaming).toEqual(streaming);
  const headers = { authorization: `Bearer ${baton.apiKey}` };
  const shown = (await (await fetch(`${baton.url(1)}/v1/tasks/${taskId}`, { headers })).json()) as AnyJson;
  expect(shown.streaming).toEqual(streaming);
  const { contents } = await other.readResource({ uri: `baton://tasks/${taskId}` });
  expect(JSON.parse((contents[0] as { text: string }).text).streaming).toEqual(streaming);
  await chunk(interactionId, 2, '2 ');
  expect((await callTool(other, 'task_status', { taskId })).streaming[0].text).toBe('0 1 2 3 ');
  await post(interactionId, success({}));
  expect(await callTool(other, 'task_status', { taskId })).not.toHaveProperty('streaming');
});

test('a waiting call with a progressToken hears of the text on another replica, in order, and then of the end', async () => {
  const { interactionId, taskId } = await open();
  const heard: Progress[] = [];
  const onprogress = (progress: Progress) => void heard.push(progress);
  const params = { name: 'task_status', arguments: { taskId, waitMs: 20_000 } };
  const waiting = other.callTool(params, undefined, { onprogress });
  const said = () => heard.map(({ message }) => message).join('');
  let text = '';
  for (let sequence = 0; sequence < 6; sequence++) {
    text += `word${sequence} `;
    await chunk(interactionId, sequence, `word${sequence} `);
    // Heard while the stream goes on, and without another chunk to come.
    if (sequence % 3 === 2) await waitUntilOrThrow('the text was heard', 10_000, async () => said() === text);
  }
  const { outcome } = await post(interactionId, success({}, { chunks: 6 }));
  expect(outcome.result.response).toBe(text);
  expect((await waiting).structuredContent).toMatchObject({ status: 'completed' });
  expect(said()).toBe(text);
  const steps = heard.map(({ progress }) => progress);
  expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
  expect(steps.at(-1)).toBe(6);
});

test('subscribers of the task on another replica hear of chunks', async () => {
  const { interactionId, taskId } = await open();
  const uri = `baton://tasks/${taskId}`;
  const updated: string[] = [];
  other.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updated.push(params.uri),
  );
  await other.subscribeResource({ uri });
  for (let sequence = 0; sequence < 3; sequence++) {
    const before = updated.length;
    // No oftener than every 250 ms: the next chunk after that is heard of.
    await waitUntilOrThrow('a chunk is heard of', 10_000, async () => {
      await chunk(interactionId, await nextSequence(taskId), 'x');
      return updated.length > before;
    });
  }
  expect(new Set(updated)).toEqual(new Set([uri]));
  await other.unsubscribeResource({ uri });
});

async function nextSequence(taskId: string): Promise<number> {
  const { streaming } = await callTool(other, 'task_status', { taskId });
  return streaming?.[0].chunks ?? 0;
}

test('a final text that differs from the chunks is refused with the place, and the interaction stays pending', async () => {
  const { interactionId, taskId } = await open();
  await chunk(interactionId, 0, 'Once upon ');
  await chunk(interactionId, 1, 'a time');
  const differs = await refusal(interactionId, success({ text: 'Once upon a crime' }));
  expect(differs).toMatchObject({
    code: 'invalid_arguments',
    field: 'agentLLMResponse.data.text',
    stream: 0,
  });
  expect(differs.message).toContain('at character 12');
  expect(await refusal(interactionId, success({}, { chunks: 3 }))).toMatchObject({ sequence: 2 });
  expect(await refusal(interactionId, success({}, { chunks: 1 }))).toMatchObject({
    field: 'agentLLMResponse.chunks',
    stream: 0,
  });
  expect(await refusal(interactionId, success({}, { stream: 1 }))).toMatchObject({
    field: 'agentLLMResponse.stream',
  });
  expect((await callTool(one, 'task_status', { taskId })).status).toBe('input_required');
  const { outcome } = await post(interactionId, success({ text: 'Once upon a time' }));
  expect(outcome.result.response).toBe('Once upon a time');
});

test.each<[string, object]>([
  ['a reason for its end', { finishReason: 'stop' }],
  ['a null text and usage', { text: null, usage: { inputTokens: 1, outputTokens: 2 } }],
  ['a field that nobody knows', { chunks: 2, anything: { nested: true } }],
  ['a null object', { object: null }],
])('a final success with %s and no text has that of its chunks', async (_what, data) => {
  const { interactionId } = await open();
  await chunk(interactionId, 1, 'a time');
  await chunk(interactionId, 0, 'Once upon ');
  const { outcome } = await post(interactionId, success(data));
  expect(outcome).toMatchObject({ status: 'completed', result: { response: 'Once upon a time' } });
});

test('a try that begins anew shares nothing with the one that stopped, whichever replica each comes to', async () => {
  const { interactionId, taskId } = await open();
  await chunk(interactionId, 0, 'The first try was cut o');
  const taken = await refusal(interactionId, { status: 'streaming', sequence: 0, delta: 'Another' });
  expect(taken).toMatchObject({ field: 'agentLLMResponse.sequence', stream: 0 });
  await chunk(interactionId, 0, 'Another ', { stream: taken.stream + 1 });
  expect(await refusal(interactionId, { status: 'streaming', sequence: 1, delta: 'ff' })).toMatchObject({
    field: 'agentLLMResponse.stream',
    stream: 1,
  });
  expect((await callTool(other, 'task_status', { taskId })).streaming[0].text).toBe('Another ');
  await chunk(interactionId, 1, 'try', { stream: 1 });
  expect(await refusal(interactionId, success({}, { stream: 0 }))).toMatchObject({ stream: 1 });
  const { outcome } = await post(interactionId, success({}, { stream: 1, chunks: 2 }));
  expect(outcome.result.response).toBe('Another try');
});

test('a stream that stops is ended by the deadline of its interaction', async () => {
  const { interactionId, taskId } = await open();
  await chunk(interactionId, 0, 'and then');
  const admin = await baton.createKey({ scopes: ['admin', 'mcp', 'agent'] });
  await fetch(`${baton.url()}/v1/interactions/${interactionId}/extend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ttlMs: 1_000 }),
  });
  await waitUntilOrThrow('the task has ended', 10_000, async () => {
    const { status } = await callTool(other, 'task_status', { taskId });
    return status === 'failed';
  });
  const ended = await callTool(other, 'task_status', { taskId });
  expect(ended.error.code).toBe('interaction_expired');
  expect(ended).not.toHaveProperty('streaming');
  expect((await refusal(interactionId, { status: 'streaming', sequence: 1, delta: 'x' })).code).toBe(
    'interaction_expired',
  );
});

test('a chunk costs one Redis call, its admission included', async () => {
  const { interactionId } = await open();
  await chunk(interactionId, 0, 'x');
  const monitor = await RedisMonitor.open(baton.redisUrl);
  const commands = await monitor.commandsOf(async () => {
    for (let sequence = 1; sequence <= 50; sequence++) await chunk(interactionId, sequence, 'x');
  });
  monitor.close();
  console.log(`Redis calls per chunk: ${commands.length / 50}`);
  expect(commands.length / 50).toBeGreaterThanOrEqual(0.9);
  expect(commands.length / 50).toBeLessThanOrEqual(2);
});
