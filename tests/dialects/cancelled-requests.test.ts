import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, postJsonRpc } from '../harness/mcp-client.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { sampled } from './sampling-client.ts';
import { openSession, TaskStreamClient } from './task-stream-client.ts';

/** `notifications/cancelled` of 2025 clients, at another replica than the one that works on the request. */
let baton: InProcessDeployment;
let headers: Record<string, string>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  headers = await openSession(baton.url(0), baton.apiKey, { sampling: {} });
});
afterAll(async () => baton?.stop());

const ASK = 'sampling/createMessage';
const CANCELLED = 'notifications/cancelled';
let lastId = 0;
const openCall = (request: AnyJson) => TaskStreamClient.open(baton.url(0), headers, { request });
const echo = (id: number | string, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: {
    name: 'bench_echo',
    arguments: { text: `text ${id}` },
    _meta: { 'baton/dialect': 'sampling', ...meta },
  },
});
const post = (body: object, at = 1, by = headers) =>
  postJsonRpc(baton.url(at), undefined, { jsonrpc: '2.0', ...body }, by);
const cancel = (requestId: unknown, at = 1, by = headers) =>
  post({ method: CANCELLED, params: { requestId, reason: 'No longer needed.' } }, at, by);
const answer = (id: string) => post({ id, result: sampled({ value: 'answered' }) });
const resume = (stream: TaskStreamClient, at: number) => {
  const lastEventId = stream.events.findLast(({ id }) => id !== undefined)?.id ?? '';
  return TaskStreamClient.open(baton.url(at), headers, { lastEventId });
};

test.each([
  ['another replica', 1, 7_001],
  ['its own replica', 0, 'a b "c" cancelled'],
])(
  'a call that asks on its stream is cancelled at %s: its task ends, its request is taken back, it is not answered [request-cancelled]',
  async (_, at, id) => {
    const stream = await openCall(echo(id));
    const asked = await stream.message(ASK);
    expect((await cancel(id, at)).status).toBe(202);
    await stream.ended;
    expect(stream.messages.map(({ method }) => method)).toEqual([ASK, CANCELLED]);
    expect(stream.messages.at(-1).params).toEqual({ requestId: asked.id, reason: 'It is cancelled.' });
    const refused = await answer(asked.id);
    expect([refused.status, refused.body.error.data.code]).toEqual([400, 'interaction_cancelled']);
    for (const replica of [0, 1]) expect((await resume(stream, replica)).response.status).toBe(400);
  },
);

test('a call with an idempotency key is no longer waited for, and its task is there for the same call again', async () => {
  const meta = { 'baton/idempotencyKey': 'repeatable' };
  const call = { ...echo(++lastId), params: { ...echo('kept').params, _meta: meta } };
  const sampling = { ...call.params, _meta: { ...meta, 'baton/dialect': 'sampling' } };
  const stream = await openCall({ ...call, params: sampling });
  const asked = await stream.message(ASK);
  await cancel(lastId);
  await stream.ended;
  expect(stream.messages.length).toBe(1);
  const again = await openCall({ ...call, id: ++lastId, params: sampling });
  expect((await again.message(ASK)).id).toBe(asked.id);
  await answer(asked.id);
  expect((await again.message('')).result.structuredContent).toMatchObject({ value: 'answered' });
});

test('tasks/result is no longer waited for, and the call as a task goes on [request-cancelled]', async () => {
  const call = echo(++lastId);
  const begun = await post({ ...call, params: { ...call.params, task: {} } });
  const { taskId } = begun.body.result.task;
  await cancel(lastId);
  const stream = await openCall({ id: ++lastId, method: 'tasks/result', params: { taskId } });
  const asked = await stream.message(ASK);
  await cancel(lastId);
  await stream.ended;
  expect(stream.messages.length).toBe(1);
  for (const replica of [0, 1]) expect((await resume(stream, replica)).response.status).toBe(400);
  expect((await answer(asked.id)).status).toBe(202);
  const asJson = { ...headers, accept: 'application/json' };
  const ended = await post({ id: ++lastId, method: 'tasks/result', params: { taskId } }, 1, asJson);
  expect(ended.body.result.structuredContent).toMatchObject({ value: 'answered' });
});

test('a tool that waits waits no longer, is not answered, and what it waits for goes on', async () => {
  const parked = await post({ ...echo(++lastId), params: { ...echo('held').params, _meta: {} } });
  const { taskId, interactionId } = parked.body.result.structuredContent;
  // Nothing but the cancel ends it: no interaction matches.
  const args = { status: 'pending', operation: 'none of this name', waitMs: 25_000 };
  const waits = {
    id: ++lastId,
    method: 'tools/call',
    params: { name: 'pending_interactions', arguments: args },
  };
  let reply: AnyJson;
  const held = post(waits, 0).then((came) => {
    reply = came;
  });
  // A cancel that comes before its request changes nothing.
  while (reply === undefined) await cancel(waits.id);
  await held;
  expect([reply.status, reply.body]).toEqual([202, undefined]);
  const agent = await connectMcpClient(baton.url(1), baton.apiKey);
  expect(await callTool(agent, 'task_status', { taskId })).toMatchObject({
    status: 'input_required',
    pending: { interactionId },
  });
  await agent.close();
});

test('another session never cancels it, nor does a cancel of another id', async () => {
  const other = await openSession(baton.url(1), baton.apiKey, { sampling: {} });
  const stream = await openCall(echo(7_002));
  const asked = await stream.message(ASK);
  await cancel(7_002, 1, other);
  for (const id of ['7002', 7_003, null, {}, 'x'.repeat(1_000)])
    expect((await cancel(id)).status).toBeLessThan(500);
  await answer(asked.id);
  expect((await stream.message('')).result.structuredContent).toMatchObject({ value: 'answered' });
});

test("the official client's call that is aborted ends its task, and the model's work on its request", async () => {
  const proxy = await RoundRobinProxy.start(() => [baton.url(0), baton.url(1)]);
  const client = new Client({ name: 'aborts', version: '1' }, { capabilities: { sampling: {} } });
  const transport = new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${baton.apiKey}` } },
  });
  const abort = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    client.setRequestHandler(CreateMessageRequestSchema, async (_request, { signal }) => {
      signal.addEventListener('abort', () => resolve());
      abort.abort('The person has stopped it.');
      await stopped;
      return sampled({ value: 'too late' });
    });
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const params = {
    name: 'bench_echo',
    arguments: { text: 'aborted' },
    _meta: { 'baton/dialect': 'sampling' },
  };
  await expect(client.callTool(params, undefined, { signal: abort.signal })).rejects.toThrow('stopped');
  await stopped;
  await client.close();
  await proxy.stop();
});
