import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc, successAnswer } from '../harness/mcp-client.ts';
import { openSession } from '../dialects/task-stream-client.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';

/** `logging/setLevel` of the 2025 revisions: a session's level holds at every replica. */
let baton: InProcessDeployment;
let headers: Record<string, string>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const STREAM = { accept: 'application/json, text/event-stream' };

function post(at: number, method: string, params: AnyJson, by: Record<string, string>) {
  return postJsonRpc(
    baton.url(at),
    undefined,
    { jsonrpc: '2.0', id: 1, method, params },
    { ...STREAM, ...by },
  );
}
const setLevel = (level: string, at = 0, by = headers) => post(at, 'logging/setLevel', { level }, by);

/** The events that a call which parks is told of. */
async function eventsOf(at: number, by = headers): Promise<string[]> {
  const response = await fetch(`${baton.url(at)}/mcp`, {
    method: 'POST',
    headers: { ...STREAM, ...by, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'bench_echo', arguments: { text: 'x' } },
    }),
  });
  const text = await response.text();
  expect(text).toContain('pending_agent_llm_action');
  const messages = [...text.matchAll(/^data: (\{.*"notifications\/message".*\})$/gm)].map(([, json = '']) =>
    JSON.parse(json),
  );
  const isDebug = ({ event }: AnyJson) => event === 'called' || event === 'replied';
  for (const { params } of messages)
    expect(params).toMatchObject({ level: isDebug(params.data) ? 'debug' : 'info', logger: 'baton' });
  return messages.map(({ params }) => params.data.event);
}

test('initialize declares it, and a session sends nothing until it is asked for', async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const { body } = await postJsonRpc(baton.url(0), baton.apiKey, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params,
  });
  expect(body.result.capabilities.logging).toEqual({});
  headers = await openSession(baton.url(0), baton.apiKey, {});
  expect(await eventsOf(0)).toEqual([]);
  expect(await eventsOf(1)).toEqual([]);
});

test.each([
  ['debug', ['called', 'parked', 'replied']],
  ['info', ['parked']],
  ['notice', []],
  ['emergency', []],
])(
  'at the level %s each replica sends %j, one that knows the session and one that does not',
  async (level, events) => {
    const { body } = await setLevel(level);
    expect(body.result).toEqual({});
    // A replica that knows the session hears of its level within moments of the reply.
    for (const at of [0, 1]) await expect.poll(() => eventsOf(at)).toEqual(events);
    await baton.addGateway();
    expect(await eventsOf(2)).toEqual(events);
    // Another session of the same key has its own.
    const other = await openSession(baton.url(0), baton.apiKey, {});
    expect(await eventsOf(1, other)).toEqual([]);
  },
);

test('it is refused without a session, and where there is no such level', async () => {
  const without = await post(
    0,
    'logging/setLevel',
    { level: 'info' },
    { authorization: `Bearer ${baton.apiKey}` },
  );
  expect(without.body.error.data.code).toBe('session_required');
  const { body } = await setLevel('loud');
  expect(body.error.code).toBe(-32602);
  expect(body.error.message).toContain('level');
});

test('a tenant keeps the levels of 10,000 sessions, of those that set theirs last', async () => {
  const { sessions } = baton.store.tenant('acme');
  const redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const [key = ''] = await redis.keys('*:acme:logLevels');
  await redis.zadd(key, ...Array.from({ length: 10_000 }, (_, at) => [at, `k.${at}`]).flat());
  await sessions.setLogLevel('k.last', 3);
  expect(await redis.zcard(key)).toBe(10_000);
  expect([await sessions.logLevel('k.last'), await sessions.logLevel('k.0')]).toEqual([3, undefined]);
  expect(await redis.pttl(key)).toBeGreaterThan(89 * 86_400_000);
  redis.disconnect();
});

test('the official client sets it behind a proxy without affinity, and hears of its answered call', async () => {
  const proxy = await RoundRobinProxy.start(() => [baton.url(0), baton.url(1)]);
  const client = new Client({ name: 'logging', version: '1' });
  const heard: AnyJson[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
  const transport = new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${baton.apiKey}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  await client.setLoggingLevel('info');
  const asked: AnyJson = await client.callTool({ name: 'bench_echo', arguments: { text: 'x' } });
  const { interactionId, taskId } = asked.structuredContent;
  const agentLLMResponse = successAnswer({ object: { value: 'v' } });
  await client.callTool({ name: 'agent_llm', arguments: { interactionId, agentLLMResponse } });
  expect(heard.map(({ data }) => data.event)).toEqual(['parked', 'answered']);
  for (const { data } of heard) expect(data.taskId).toBe(taskId);
  await client.close();
  await proxy.stop();
});
