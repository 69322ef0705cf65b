import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestTestClient } from '../../apps/gateway/src/rest/testing/test-replicas.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';

/** What the operator is told of the whole deployment, at whichever gateway, and what it can do with jobs that failed. */
let baton: InProcessDeployment;
let redis: Redis;
let queue: Queue;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2, writesKeys: true });
  redis = new Redis(baton.redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
  queue = new Queue('resume', { connection: redis, prefix: 'baton:{s0}:bull', skipVersionCheck: true });
});
afterAll(async () => {
  await queue?.close();
  redis?.disconnect();
  await baton?.stop();
});

const send = (method: string, path: string, { at = 0, token = OPERATOR_TOKEN } = {}) =>
  new RestTestClient(baton.url(at)).send(method, `/v1${path}`, {
    token,
    ...(method === 'POST' && { json: {} }),
  });
const failedJobs = async (at = 0): Promise<AnyJson[]> =>
  (await send('GET', '/failed-jobs', { at })).body.jobs;

test('every gateway tells the same of gateways, workers, queues and Redis; a worker that stops is told no more', async () => {
  for (const at of [0, 1]) {
    const { status, body } = await send('GET', '/status', { at });
    expect(status).toBe(200);
    expect(body.gateways).toEqual(expect.arrayContaining(['gateway-0', 'gateway-1']));
    expect(body.workers).toEqual(['worker-0', 'worker-1']);
    expect(body.gateways).not.toContain('worker-0');
    expect(body.redis.usedMemoryBytes).toBeGreaterThan(0);
    expect(body.queues).toContainEqual({ queue: 'resume', state: 'failed', count: 0 });
  }
  await baton.workers.pop()?.stop();
  expect((await send('GET', '/status')).body.workers).toEqual(['worker-0']);
});

test('what waits for an answer is told by age, of all tenants, and how long a job has waited for a worker', async () => {
  const ages = async (at: number) =>
    (await send('GET', '/status', { at })).body.pending.map(({ age, count }: AnyJson) => [age, count]);
  expect(await ages(0)).toEqual([
    ['under_1m', 0],
    ['under_10m', 0],
    ['under_1h', 0],
    ['over_1h', 0],
  ]);
  const keys = [baton.apiKey, await baton.addTenant('second'), await baton.addTenant('third')];
  for (const key of keys)
    await new RestTestClient(baton.url()).send('POST', '/v1/tools/bench_fan', { token: key, json: { n: 4 } });
  const now = Date.now();
  const [acme, second] = ['acme', 'second'].map((tenant) => baton.store.tenant(tenant).keys.pending);
  const aged = async (set: string, at: number, minutes: number) => {
    const [member = ''] = await redis.zrange(set, `${at}`, `${at}`);
    await redis.zadd(set, now - minutes * 60_000, member);
  };
  await aged(acme!, 3, 5);
  await aged(acme!, 3, 50);
  await aged(second!, 3, 70);
  await expect
    .poll(() => ages(1), { timeout: 10_000 })
    .toEqual([
      ['under_1m', 9],
      ['under_10m', 1],
      ['under_1h', 1],
      ['over_1h', 1],
    ]);
  const { body } = await send('GET', '/status');
  expect(body.resumeLagMs).toBeUndefined();
  await queue.pause();
  await queue.add('resume', { tenant: 'acme', number: 'none' }, { jobId: 'late', timestamp: now - 9_000 });
  expect((await send('GET', '/status', { at: 1 })).body.resumeLagMs).toBeGreaterThanOrEqual(9_000);
  await queue.remove('late');
  await queue.resume();
});

test('a paused queue is named', async () => {
  await queue.pause();
  expect((await send('GET', '/status', { at: 1 })).body.pausedQueues).toEqual(['s0:resume']);
  await queue.resume();
  expect((await send('GET', '/status')).body.pausedQueues).toEqual([]);
});

test('a job that failed for good is listed with its reason, and runs again when it is retried', async () => {
  await queue.add('resume', { tenant: 'acme', number: 'none' }, { jobId: 'broken' });
  await waitUntilOrThrow('the job has failed', 10_000, async () => (await failedJobs(1)).length === 1);
  const [job] = await failedJobs();
  expect(job).toMatchObject({ id: 's0:resume:broken', queue: 'resume', tenant: 'acme', attempts: 1 });
  expect(job?.reason).not.toBe('');
  const path = `/failed-jobs/${encodeURIComponent('s0:resume:broken')}/retry`;
  expect((await send('POST', path, { at: 1 })).status).toBe(200);
  await waitUntilOrThrow('it has failed again', 10_000, async () => {
    const [again] = await failedJobs();
    return again !== undefined && again.failedAt !== job?.failedAt;
  });
});

test.each(['s0:resume:missing', 's9:resume:broken', 's0:other:broken', 'broken', 's0:resume:..'])(
  'there is no failed job %s, and nothing is done',
  async (id) => {
    const { status, body } = await send('POST', `/failed-jobs/${encodeURIComponent(id)}/retry`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  },
);

test('keys of tenants are refused, whatever their scopes', async () => {
  const token = await baton.createKey({ scopes: ['mcp', 'agent', 'admin'] });
  for (const [method, path] of [
    ['GET', '/status'],
    ['GET', '/failed-jobs'],
    ['POST', '/failed-jobs/x/retry'],
  ] as const) {
    const { status, body } = await send(method, path, { token });
    expect([path, status, body.code]).toEqual([path, 403, 'insufficient_scope']);
  }
});
