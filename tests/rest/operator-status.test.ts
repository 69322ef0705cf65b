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

const get = (path: string, { at = 0, token = OPERATOR_TOKEN } = {}) =>
  new RestTestClient(baton.url(at)).send('GET', `/v1${path}`, { token });
const failedJobs = async (at = 0): Promise<AnyJson[]> => (await get('/failed-jobs', { at })).body.jobs;

test('every gateway tells the same of gateways, workers, queues and Redis; a worker that stops is told no more', async () => {
  for (const at of [0, 1]) {
    const { status, body } = await get('/status', { at });
    expect(status).toBe(200);
    expect(body.gateways).toEqual(expect.arrayContaining(['gateway-0', 'gateway-1']));
    expect(body.workers).toEqual(['worker-0', 'worker-1']);
    expect(body.gateways).not.toContain('worker-0');
    expect(body.redis.usedMemoryBytes).toBeGreaterThan(0);
    expect(body.queues).toContainEqual({ queue: 'resume', state: 'failed', count: 0 });
  }
  await baton.workers.pop()?.stop();
  expect((await get('/status')).body.workers).toEqual(['worker-0']);
});

/** A gateway counts anew once a hundred times as long has passed as counting took, a minute at most. */
const COUNTED_ANEW = { timeout: 70_000 };

test('what waits for an answer is told by age, of all tenants, and how long a job has waited for a worker', {
  timeout: 100_000,
}, async () => {
  const ages = async (at: number) =>
    (await get('/status', { at })).body.pending.map(({ age, count }: AnyJson) => [age, count]);
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
  const pending = ['acme', 'second', 'third'].map((tenant) => baton.store.tenant(tenant).keys.pending);
  const [acme, second] = pending;
  // Young, however late they are counted.
  for (const set of pending)
    for (const member of await redis.zrange(set, '0', '-1')) await redis.zadd(set, now + 600_000, member);
  const aged = async (set: string, at: number, minutes: number) => {
    const [member = ''] = await redis.zrange(set, `${at}`, `${at}`);
    await redis.zadd(set, now - minutes * 60_000, member);
  };
  await aged(acme!, 3, 5);
  await aged(acme!, 3, 50);
  await aged(second!, 3, 70);
  await expect
    .poll(() => ages(1), COUNTED_ANEW)
    .toEqual([
      ['under_1m', 9],
      ['under_10m', 1],
      ['under_1h', 1],
      ['over_1h', 1],
    ]);
  const { body } = await get('/status');
  expect(body.resumeLagMs).toBeUndefined();
  await queue.pause();
  await queue.add('resume', { tenant: 'acme', number: 'none' }, { jobId: 'late', timestamp: now - 9_000 });
  expect((await get('/status', { at: 1 })).body.resumeLagMs).toBeGreaterThanOrEqual(9_000);
  await queue.remove('late');
  await queue.resume();
});

test('a paused queue is named', async () => {
  await queue.pause();
  expect((await get('/status', { at: 1 })).body.pausedQueues).toEqual(['s0:resume']);
  await queue.resume();
  expect((await get('/status')).body.pausedQueues).toEqual([]);
});

test('a job that failed for good is listed with its reason', async () => {
  await queue.add('resume', { tenant: 'acme', number: 'none' }, { jobId: 'broken' });
  await waitUntilOrThrow('the job has failed', 10_000, async () => (await failedJobs(1)).length === 1);
  const [job] = await failedJobs();
  expect(job).toMatchObject({ id: 's0:resume:broken', queue: 'resume', tenant: 'acme', attempts: 1 });
  expect(job?.reason).not.toBe('');
});

test('keys of tenants are refused, whatever their scopes', async () => {
  const token = await baton.createKey({ scopes: ['mcp', 'agent', 'admin'] });
  for (const path of ['/status', '/failed-jobs']) {
    const { status, body } = await get(path, { token });
    expect([path, status, body.code]).toEqual([path, 403, 'insufficient_scope']);
  }
});
