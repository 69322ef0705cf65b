import { expect, test, vi } from 'vitest';
import { storeInternalsOf } from '../store-internals.ts';
import { openFixture } from '../testing/store-fixture.ts';
import type { TestTenant } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis, shard } = fixture;
const queue = storeInternalsOf(fixture.store).queues.queue(0, 'resume');
const { tenantsWithJobs } = fixture.shardKeys;

/** A check as it is after the interval. */
async function check(): Promise<void> {
  for (const tenant of await redis.zrange(tenantsWithJobs, '0', '-1'))
    await redis.zadd(tenantsWithJobs, 1, tenant);
  await shard.requeueLostJobs();
}

const open = (testTenant: TestTenant) => testTenant.openTask({ waits: [], ready: true });
const ids = async () =>
  (await queue.getJobs(['waiting', 'active', 'delayed'])).map(({ id }) => String(id)).sort();
const added = (count: number) => expect.poll(async () => (await ids()).length).toBe(count);

test('a job that was never added, since who was to add it died, is replaced by another that takes the same tasks', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await open(testTenant);
  await added(1);
  await queue.obliterate({ force: true });
  await check();
  await added(1);
  expect(await ids()).toEqual([`${testTenant.store.id}.2`]);
  expect((await fixture.loadSegment()).taskId).toBe(taskId);
});

test('what a job had that was removed while it ran is ready again, with a job; its tries go on counting', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await open(testTenant);
  await added(1);
  expect((await fixture.loadSegment()).task.tries).toBe(1);
  await queue.obliterate({ force: true });
  await check();
  await added(1);
  expect(await testTenant.queueState(taskId)).toBe('ready');
  expect((await fixture.loadSegment()).task.tries).toBe(2);
});

test('what a job had that has failed for good is ready again', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await open(testTenant);
  await added(1);
  const [job] = await queue.getJobs(['waiting']);
  await job!.remove();
  await shard.dequeue({ tenant: testTenant.store.id, list: 'ready', number: 1, tasks: [] }, []);
  expect(await testTenant.queueState(taskId)).toBe('batch');
  // The same job, among the failed.
  await redis.hset(
    `${queue.toKey('')}${testTenant.store.id}.1`,
    'name',
    'resume',
    'data',
    '{}',
    'opts',
    '{}',
  );
  await redis.zadd(queue.toKey('failed'), Date.now(), `${testTenant.store.id}.1`);
  await check();
  expect(await testTenant.queueState(taskId)).toBe('ready');
});

test('a job that waits in a paused queue is left alone, however often it is checked', async () => {
  const testTenant = await fixture.createTenant();
  await queue.pause();
  await open(testTenant);
  await added(1);
  for (let time = 0; time < 5; time++) await check();
  expect(await ids()).toEqual([`${testTenant.store.id}.1`]);
  expect(await redis.hget(testTenant.keys.jobs, 'next')).toBe('1');
  await queue.resume();
});

test('a job that was asked for just now may be about to be added, and is not replaced', async () => {
  const testTenant = await fixture.createTenant();
  await open(testTenant);
  await added(1);
  const [job] = await queue.getJobs(['waiting']);
  await queue.obliterate({ force: true });
  const { queues } = storeInternalsOf(fixture.store);
  const look = vi.spyOn(queues, 'hasJob').mockImplementationOnce(async (...args) => {
    const found = await queues.hasJob(...args);
    await queue.add('resume', job!.data, { jobId: job!.id! });
    return found;
  });
  await check();
  expect(look).toHaveBeenCalledTimes(3);
  look.mockRestore();
  expect(await ids()).toEqual([`${testTenant.store.id}.1`]);
});

test('a list without a job is given one, once, though all that is known of jobs is gone', async () => {
  const testTenant = await fixture.createTenant();
  await open(testTenant);
  await added(1);
  await queue.obliterate({ force: true });
  await redis.del(testTenant.keys.jobs);
  await check();
  await added(1);
  await check();
  expect(await ids()).toHaveLength(1);
});

test('a tenant without jobs is not checked any more, and one with jobs not before the interval is over', async () => {
  const [idle, busy] = [await fixture.createTenant(), await fixture.createTenant()];
  await open(idle);
  await added(1);
  const job = { tenant: idle.store.id, list: 'ready' as const, number: 1, tasks: [] };
  const batch = await shard.dequeue(job, []);
  if (batch.kind !== 'taken') throw new Error(batch.kind);
  const { segments } = await shard.load(idle.store.id, 1, batch.notLoaded);
  await segments[0]!.settle({ status: 'completed', result: {} });
  await open(busy);
  await check();
  expect(await redis.zrange(tenantsWithJobs, '0', '-1')).toEqual([busy.store.id]);
  const looked = await redis.zscore(tenantsWithJobs, busy.store.id);
  await shard.requeueLostJobs();
  expect(await redis.zscore(tenantsWithJobs, busy.store.id)).toBe(looked);
});
