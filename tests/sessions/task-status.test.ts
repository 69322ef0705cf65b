import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSession, TaskStreamClient } from '../dialects/task-stream-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  connectMcpClient,
  postJsonRpc,
  successAnswer,
} from '../harness/mcp-client.ts';

/** `notifications/tasks/status` of 2025-11-25: a session hears of the tasks that it began, on its stream, wherever both are. */
let baton: InProcessDeployment;
let agent: Awaited<ReturnType<typeof connectMcpClient>>;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  agent = await connectMcpClient(baton.url(1), baton.apiKey);
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await agent?.close();
  await baton?.stop();
});

type Session = Record<string, string>;
const openOne = () => openSession(baton.url(0), baton.apiKey, {});

async function begin(at: number, session: Session): Promise<string> {
  const params = { name: 'bench_echo', arguments: { text: 'x' }, task: {} };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return (await postJsonRpc(baton.url(at), undefined, body, session)).body.result.task.taskId;
}

async function answer(taskId: string): Promise<void> {
  const { pending } = await callTool(agent, 'task_status', { taskId, waitMs: 5_000 });
  const agentLLMResponse = successAnswer({ object: { value: 'v' } });
  await callTool(agent, 'agent_llm', { interactionId: pending.interactionId, agentLLMResponse });
}

/** The session's own stream, at a replica. */
async function listen(at: number, session: Session) {
  const stream = await TaskStreamClient.listen(baton.url(at), session);
  const statuses = () =>
    stream.messages
      .filter(({ method }) => method === 'notifications/tasks/status')
      .map(({ params }) => [params.taskId, params.status]);
  const heard = (taskId: string, status: string) =>
    vi.waitFor(() => expect(statuses()).toContainEqual([taskId, status]), { timeout: 5_000 });
  return { stream, statuses, heard };
}

/** What sessions of the tenant are subscribed to. */
async function subscribed(): Promise<string[]> {
  const keys = await redis.keys('*:acme:session:*');
  return (await Promise.all(keys.map((key) => redis.smembers(key)))).flat();
}

test('the official client hears of its task until that has ended', async () => {
  const client = new Client({ name: 'statuses', version: '1' });
  const heard: AnyJson[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params));
  const transport = new StreamableHTTPClientTransport(new URL(`${baton.url(0)}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${baton.apiKey}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const session = {
    authorization: `Bearer ${baton.apiKey}`,
    'mcp-session-id': transport.sessionId ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  const taskId = await begin(1, session);
  await vi.waitFor(() => expect(heard.at(-1)?.status).toBe('input_required'), { timeout: 5_000 });
  await answer(taskId);
  await vi.waitFor(() => expect(heard.at(-1)?.status).toBe('completed'), { timeout: 5_000 });
  expect(heard.at(-1)).toMatchObject({ taskId, createdAt: expect.any(String), ttl: expect.any(Number) });
  await client.close();
});

test('a session hears of its own tasks alone, at another replica than their calls, and holds nothing of what has ended', async () => {
  const [mine, other] = [await openOne(), await openOne()];
  const [here, there] = [await listen(0, mine), await listen(1, other)];
  const taskId = await begin(1, mine);
  await here.heard(taskId, 'input_required');
  await answer(taskId);
  await here.heard(taskId, 'completed');
  expect(there.statuses()).toEqual([]);
  await vi.waitFor(async () => expect(await subscribed()).toEqual([]));
  await here.stream.lose();
  await there.stream.lose();
});

test('a stream that is opened later tells how its tasks stand', async () => {
  const session = await openOne();
  const [open, ended] = [await begin(0, session), await begin(1, session)];
  await answer(ended);
  const { heard, stream } = await listen(1, session);
  await heard(open, 'input_required');
  await heard(ended, 'completed');
  await vi.waitFor(async () => expect(await subscribed()).toEqual([`baton://tasks/${open}#status`]));
  await stream.lose();
});

test('of more tasks than a session may be subscribed to, the others begin and are not told of', async () => {
  const key = await baton.createKey({ tools: 'all' });
  const session = await openSession(baton.url(0), key, {});
  const before = (await subscribed()).length;
  const begun = await Promise.all(Array.from({ length: 102 }, (_, at) => begin(at % 2, session)));
  expect(new Set(begun).size).toBe(102);
  expect((await subscribed()).length - before).toBe(100);
});

test('it is nothing that a client subscribes to', async () => {
  const session = await openOne();
  const taskId = await begin(0, session);
  const params = { uri: `baton://tasks/${taskId}#status` };
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params };
  expect((await postJsonRpc(baton.url(0), undefined, body, session)).body.error.code).toBe(-32002);
});
