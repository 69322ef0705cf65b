import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { type AnyJson, successAnswer } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

/** What Prometheus is told of calls: read from two gateways and a worker, it adds up to what happened. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1, limits: { pendingInteractions: 3 } });
});
afterAll(() => baton?.stop());

const post = async (path: string, body: object, at = 0): Promise<AnyJson> => {
  const response = await fetch(`${baton.url(at)}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
};
const call = (at: number) => post('/tools/bench_echo', { text: 'x' }, at);
const answer = (id: string, agentLLMResponse: object, at = 0) =>
  post(`/interactions/${id}/answer`, { agentLLMResponse, waitMs: 20_000 }, at);

/** The sum of a metric's samples with these labels over both gateways and the worker. */
async function total(metric: string, labels: readonly string[] = []): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const texts = await Promise.all([
    ...[0, 1].map(async (at) => (await fetch(`${baton.url(at)}/metrics`, { headers })).text()),
    ...baton.workers.map((worker) => worker.metrics.registry.metrics()),
  ]);
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith(metric) && /^[{ ]/.test(line.slice(metric.length)))
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

test('parks, answers, duplicates, late answers, ends by code and limits that were hit are counted once each, wherever they happen', async () => {
  const [first, second, third] = [await call(0), await call(1), await call(0)];
  // Both gateways report the same.
  await expect.poll(() => total('baton_pending_interactions', ['age="under_1m"'])).toBe(6);
  expect((await call(1)).code).toBe('limit_pending');
  await answer(first.interactionId, successAnswer({ object: { value: 'a' } }), 1);
  await answer(first.interactionId, successAnswer({ object: { value: 'a' } }), 0);
  await answer(second.interactionId, { status: 'error', errorDetails: { message: 'no' } }, 0);
  await post(`/tasks/${third.taskId}/cancel`, {}, 1);
  const late = await answer(third.interactionId, successAnswer({ object: { value: 'c' } }), 1);

  await waitUntilOrThrow(
    'the worker has counted',
    5_000,
    async () => (await total('baton_ended_tasks_total')) === 3,
  );
  expect(await total('baton_parked_tasks_total')).toBe(3);
  expect(await total('baton_answers_total', ['replayed="false"'])).toBe(2);
  expect(await total('baton_answers_total', ['replayed="true"'])).toBe(1);
  expect(await total('baton_answer_seconds_count')).toBe(2);
  expect(await total('baton_ended_tasks_total', ['status="completed"'])).toBe(1);
  expect(await total('baton_ended_tasks_total', ['status="failed"', 'code="agent_error"'])).toBe(1);
  expect(await total('baton_ended_tasks_total', ['status="cancelled"'])).toBe(1);
  expect(await total('baton_refused_calls_total', ['code="limit_pending"'])).toBe(1);
  expect(await total('baton_refused_calls_total', [`code="${late.code}"`])).toBe(1);
  expect(await total('baton_resume_lag_seconds_count')).toBeGreaterThan(0);
  for (const script of ['open', 'accept_answer', 'dequeue'])
    expect(await total('baton_redis_call_seconds_count', [`script="${script}"`]), script).toBeGreaterThan(0);
});

test('a request that asks again for want of a usable answer is counted', async () => {
  const asked = await call(0);
  const { outcome } = await answer(asked.interactionId, successAnswer({ object: { other: 1 } }), 1);
  expect(outcome.status).toBe('input_required');
  await waitUntilOrThrow(
    'the worker has counted',
    5_000,
    async () => (await total('baton_repeated_requests_total')) === 1,
  );
});

test('a task that its own deadline ends is counted by its code', async () => {
  const brief = await InProcessDeployment.start({ gateways: 1, lifetimes: { task: 300 } });
  const headers = { authorization: `Bearer ${brief.apiKey}`, 'content-type': 'application/json' };
  await fetch(`${brief.url()}/v1/tools/bench_echo`, { method: 'POST', headers, body: '{"text":"x"}' });
  const expired = /^baton_ended_tasks_total\{status="failed",code="task_expired"\} 1$/m;
  await waitUntilOrThrow('the sweep has counted', 10_000, async () =>
    expired.test((await brief.workers[0]?.metrics.registry.metrics()) ?? ''),
  );
  await brief.stop();
});

test('each process tells whether Redis answers it, and how full that is', async () => {
  expect(await total('baton_redis_up')).toBe(3);
  expect(await total('baton_redis_memory_used_ratio')).toBe(0);
});

test('who hangs up within the body of a request is no refused call', async () => {
  const before = await total('baton_refused_calls_total');
  const { hostname, port } = new URL(baton.url(0));
  const connections = () => total('baton_connections');
  const open = await connections();
  const socket = connect(Number(port), hostname);
  const head = `POST /mcp HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${baton.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n`;
  socket.write(head);
  // Told to go on.
  await once(socket, 'data');
  socket.write('{"a"');
  socket.destroy();
  await expect.poll(connections).toBeLessThanOrEqual(open);
  expect(await total('baton_refused_calls_total')).toBe(before);
});

test('open streams are counted while they are open', async () => {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${baton.apiKey}`, accept: 'text/event-stream' };
  await fetch(`${baton.url(1)}/v1/events`, { headers, signal: stop.signal });
  expect(await total('baton_streams')).toBe(1);
  stop.abort();
  await waitUntilOrThrow('it is closed', 5_000, async () => (await total('baton_streams')) === 0);
});

test('labels have few values: no id, principal or tenant is among them', async () => {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const text = await (await fetch(`${baton.url(0)}/metrics`, { headers })).text();
  const names = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, name]) => name));
  for (const name of ['tenant', 'principal', 'task', 'taskId', 'key', 'interaction'])
    expect(names).not.toContain(name);
  expect(text).not.toContain('acme');
});
