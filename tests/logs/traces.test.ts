import { startPrivateRedis } from '@baton/local-redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { BatonProcess, GATEWAY_READY_LINE, WORKER_READY_LINE } from '../processes/baton-process.ts';
import { OPERATOR_TOKEN, PROCESS_ENVIRONMENT } from '../processes/process-settings.ts';
import { OtlpReceiver } from './otlp-receiver.ts';

/** Two gateways and a worker as processes, which send their spans to a collector; a third gateway sends none. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const sampled = { traceparent: `00-${TRACE}-${CALLER}-01` };
const ANSWER_TRACE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const META_TRACE = 'd'.repeat(32);
const NOBODYS = 'cccccccccccccccccccccccccccccccc';
const UNSAMPLED = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let collector: OtlpReceiver;
let llm: FakeLlmServer;
let key = '';
const gateways: BatonProcess[] = [];
const workers: BatonProcess[] = [];

beforeAll(async () => {
  [redis, collector, llm] = await Promise.all([
    startPrivateRedis({}),
    OtlpReceiver.start(),
    FakeLlmServer.start(),
  ]);
  const untraced = { ...PROCESS_ENVIRONMENT, REDIS_URL: redis.url, BATON_EGRESS_ALLOW: '127.0.0.0/8' };
  const traced = { ...untraced, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  for (const environment of [traced, { ...traced, BATON_REPLICA: 'second' }, untraced])
    gateways.push(await BatonProcess.start('gateway', environment, GATEWAY_READY_LINE));
  workers.push(await BatonProcess.start('worker', traced, WORKER_READY_LINE));
  await send(0, 'POST', '/v1/tenants', { id: 'acme' }, OPERATOR_TOKEN);
  const made = await send(
    0,
    'POST',
    '/v1/tenants/acme/keys',
    { name: 'a', scopes: ['mcp', 'admin'] },
    OPERATOR_TOKEN,
  );
  key = made.key;
});
afterAll(async () => {
  await Promise.all([...gateways, ...workers].map((baton) => baton.stop('SIGKILL')));
  await Promise.all([collector?.stop(), llm?.close()]);
  await redis?.stop();
});

async function send(
  at: number,
  method: string,
  path: string,
  body: object,
  token = key,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${gateways[at]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as AnyJson;
}

async function callOverMcp(at: number, name: string, args: object, headers: Record<string, string> = {}) {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return (await send(at, 'POST', '/mcp', request, key, headers)).result.structuredContent as AnyJson;
}

const byName = (spans: readonly { name: string }[]) => spans.map(({ name }) => name).toSorted();

test('a call, the wait for its answer on another replica, and the resume are spans of the trace that the client named; the wait links the answer', async () => {
  const { taskId, interactionId } = await callOverMcp(0, 'bench_echo', { text: 'a' }, sampled);
  const answered = {
    interactionId,
    agentLLMResponse: successAnswer({ object: { value: 'a' } }),
    waitMs: 20_000,
  };
  const confirmed = await callOverMcp(1, 'agent_llm', answered, {
    traceparent: `00-${ANSWER_TRACE}-${CALLER}-01`,
  });
  expect(confirmed.outcome.status).toBe('completed');

  const spans = await collector.spansOf(taskId, 4);
  expect(byName(spans)).toEqual([
    'await answer',
    'resume bench_echo',
    'tools/call agent_llm',
    'tools/call bench_echo',
  ]);
  const [wait, resume, answer, call] = spans.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(call).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, service: 'baton-gateway' });
  expect(wait).toMatchObject({ traceId: TRACE, parentSpanId: call?.spanId, instance: 'second' });
  expect(wait?.links).toMatchObject([{ traceId: ANSWER_TRACE, spanId: answer?.spanId }]);
  expect(answer).toMatchObject({ traceId: ANSWER_TRACE, parentSpanId: CALLER, instance: 'second' });
  expect(resume).toMatchObject({ traceId: TRACE, parentSpanId: call?.spanId, service: 'baton-worker' });
  expect(resume?.attributes).toMatchObject({ 'baton.segment.end': 'completed', 'baton.tenant': 'acme' });
  const nanos = [call, wait, resume].map((span) => BigInt(span?.startTimeUnixNano ?? 0));
  expect(nanos).toEqual(nanos.toSorted((a, b) => (a < b ? -1 : 1)));
  const shown = await fetch(`${gateways[0]?.url}/v1/tasks/${taskId}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await shown.json()).toMatchObject({ traceId: TRACE });
  const ended = workers[0]?.output.find((line) => line.includes('"ended"') && line.includes(taskId)) ?? '{}';
  expect(JSON.parse(ended)).toMatchObject({ trace: TRACE });
  expect(BigInt(wait?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(wait?.startTimeUnixNano ?? 0));
});

test('the wait for an answer that never comes is a span with an error: of a request that is cancelled, alone or with its task, and of one that expires', async () => {
  const waitsOf = async (taskId: string, count: number) => {
    const found = () =>
      collector.spans.filter(
        (one) => one.name === 'await answer' && one.attributes['baton.task.id'] === taskId,
      );
    await waitUntilOrThrow(`${count} waits of ${taskId}`, 20_000, async () => found().length >= count);
    return found();
  };
  const cancelled = await callOverMcp(0, 'bench_fan', { n: 2 }, sampled);
  await callOverMcp(1, 'cancel_task', { taskId: cancelled.taskId });
  const both = await waitsOf(cancelled.taskId, 2);
  expect(both.length).toBe(2);
  for (const wait of both) {
    expect(wait).toMatchObject({ traceId: TRACE, instance: 'second', status: { code: 2 } });
    expect(wait.attributes).toMatchObject({ 'error.type': 'interaction_cancelled', 'baton.tenant': 'acme' });
  }

  const alone = await callOverMcp(0, 'bench_echo', { text: 'alone' }, sampled);
  await send(1, 'POST', `/v1/interactions/${alone.interactionId}/cancel`, {});
  const [takenBack] = await waitsOf(alone.taskId, 1);
  expect(takenBack?.attributes).toMatchObject({
    'error.type': 'interaction_cancelled',
    'baton.interaction.id': alone.interactionId,
  });

  const late = await callOverMcp(0, 'bench_echo', { text: 'late' }, sampled);
  await send(1, 'POST', `/v1/interactions/${late.interactionId}/extend`, { ttlMs: 1 });
  const [expired] = await waitsOf(late.taskId, 1);
  expect(expired).toMatchObject({ traceId: TRACE, service: 'baton-worker', status: { code: 2 } });
  expect(expired?.attributes).toMatchObject({ 'error.type': 'interaction_expired' });
});

test('a task that REST starts is traced alike, and one that ends in an error says which', async () => {
  const { taskId, interactionId } = await send(
    0,
    'POST',
    '/v1/tools/bench_echo',
    { text: 'b' },
    key,
    sampled,
  );
  const failure = { agentLLMResponse: { status: 'error', errorDetails: { message: 'no' } }, waitMs: 20_000 };
  await send(1, 'POST', `/v1/interactions/${interactionId}/answer`, failure);
  const spans = await collector.spansOf(taskId, 4);
  const resume = spans.find(({ name }) => name === 'resume bench_echo');
  expect(resume).toMatchObject({ traceId: TRACE, attributes: { 'error.type': 'agent_error' } });
  expect(byName(spans)).toEqual([
    'POST /v1/interactions/:id/answer',
    'await answer',
    'resume bench_echo',
    'tools/call bench_echo',
  ]);
});

test('a request that its client does not want sampled leaves no span, and neither does what it starts', async () => {
  const unsampled = { traceparent: `00-${UNSAMPLED}-${CALLER}-00` };
  const first = await callOverMcp(0, 'bench_echo', { text: 'c' }, unsampled);
  // Of a gateway that sends none, the task of a sampled request is not traced.
  const second = await callOverMcp(
    2,
    'bench_echo',
    { text: 'd' },
    { traceparent: `00-${UNSAMPLED}-${CALLER}-01` },
  );
  const last = await callOverMcp(0, 'bench_echo', { text: 'e' }, sampled);
  for (const { interactionId } of [first, second, last]) {
    const answer = {
      interactionId,
      agentLLMResponse: successAnswer({ object: { value: 'x' } }),
      waitMs: 20_000,
    };
    expect((await callOverMcp(0, 'agent_llm', answer, unsampled)).outcome.status).toBe('completed');
  }
  await collector.spansOf(last.taskId, 2);
  expect(collector.spans.filter(({ traceId }) => traceId === UNSAMPLED)).toEqual([]);
  for (const { taskId } of [first, second])
    expect(collector.spans.filter(({ attributes }) => attributes['baton.task.id'] === taskId)).toEqual([]);
});

test('a call goes on in the trace that its _meta names, whatever its headers say', async () => {
  const params = {
    name: 'bench_echo',
    arguments: { text: 'm' },
    _meta: { traceparent: `00-${META_TRACE}-${CALLER}-01` },
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { taskId } = (await send(0, 'POST', '/mcp', request, key, sampled)).result.structuredContent;
  const [span] = await collector.spansOf(taskId, 1);
  expect(span).toMatchObject({ traceId: META_TRACE, parentSpanId: CALLER });
});

test('a call without a traceparent has a trace of its own, which its line in the log names', async () => {
  const { taskId } = await callOverMcp(0, 'bench_echo', { text: 'f' });
  const [span] = await collector.spansOf(taskId, 1);
  expect(span).not.toHaveProperty('parentSpanId', CALLER);
  const parked = gateways[0]?.output.find((line) => line.includes('"parked"') && line.includes(taskId));
  expect(JSON.parse(parked ?? '{}')).toMatchObject({ trace: span?.traceId });
});

test('requests of nobody leave no span: a key that was revoked, wrong credentials, none, and paths that there are not', async () => {
  const nobodys = { traceparent: `00-${NOBODYS}-${CALLER}-01` };
  await send(0, 'POST', '/v1/tools/bench_echo', { text: 'd' }, 'bt_acme_nobody', nobodys);
  const revoked = await send(
    0,
    'POST',
    '/v1/tenants/acme/keys',
    { name: 'b', scopes: ['mcp'] },
    OPERATOR_TOKEN,
  );
  await fetch(`${gateways[0]?.url}/v1/tenants/acme/keys/${revoked.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  const refused = await send(0, 'POST', '/v1/tools/bench_echo', { text: 'd' }, revoked.key, nobodys);
  expect(refused.code).toBe('unauthenticated');
  await send(0, 'POST', '/v1/nothing', {}, 'bt_acme_nobody', nobodys);
  await fetch(`${gateways[0]?.url}/nothing`, { method: 'POST', headers: nobodys });
  const { taskId } = await callOverMcp(0, 'bench_echo', { text: 'd' }, sampled);
  await collector.spansOf(taskId, 1);
  expect(collector.spans.filter(({ traceId }) => traceId === NOBODYS)).toEqual([]);
});

test('the spans of a process that is stopped are sent first', async () => {
  const { taskId } = await callOverMcp(0, 'bench_echo', { text: 'e' }, sampled);
  await gateways[0]?.stop('SIGTERM');
  expect(byName(await collector.spansOf(taskId, 1))).toEqual(['tools/call bench_echo']);
});

test('a call to an LLM endpoint is a span of the same trace, with its model and its tokens', async () => {
  llm.behaviour = () => VALID_ANSWER;
  const route = { kind: 'openai', baseUrl: llm.url, modelId: 'served-model', apiKey: 'sk-endpoint-key' };
  await send(1, 'PUT', '/v1/roles/main', { routes: [route] });
  // Other processes go by what they read of the roles up to a second ago.
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect((await callOverMcp(1, 'bench_echo', { text: 'g' }, sampled)).status).toBe('completed');
  await waitUntilOrThrow('the call has a span', 10_000, async () => chats().length > 0);
  const [chat] = chats();
  expect(chat).toMatchObject({ traceId: TRACE, service: 'baton-worker' });
  expect(chat?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'baton.tenant': 'acme' });
  const spans = await collector.spansOf(String(chat?.attributes['baton.task.id']), 3);
  expect(byName(spans)).toEqual(['chat', 'resume bench_echo', 'tools/call bench_echo']);
});
const chats = () => collector.spans.filter(({ name }) => name === 'chat');
