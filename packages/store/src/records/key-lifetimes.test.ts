import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, type TestTenant, sleepWait } from '../testing/test-tenant.ts';
import { DEFAULT_LIFETIMES, RECORD_GRACE, unfinishedTaskTtl } from './durations.ts';
import { taskRef } from './keys.ts';
import { formatInteractionId } from '@baton/protocol';

const fixture = await openFixture();
const { redis } = fixture;
const { retention } = DEFAULT_LIFETIMES;

const IDEMPOTENCY = { key: 'k', arguments: 'a' };

/** How long a task's record will live after it was to end and to stay readable, in milliseconds: never less than 0. */
async function spare(testTenant: TestTenant, taskId: string): Promise<number> {
  const ends = await redis.pexpiretime(testTenant.keys.task(taskId));
  const record = await testTenant.readRecord(taskId);
  const ended = /completed|failed|cancelled/.test(record['st']!);
  const lastNeeded = Number(ended ? record['up'] : record['ex']) + testTenant.store.lifetimes.retention;
  return ends - lastNeeded;
}

/** Ways through a task's life; after each its record has its time. */
const LIVES: Record<string, (testTenant: TestTenant) => Promise<string>> = {
  'it was opened': (testTenant) => testTenant.openTask(),
  'it was answered': async (testTenant) => {
    const taskId = await testTenant.openTask();
    await testTenant.answer(taskId);
    return taskId;
  },
  'it parked again': async (testTenant) => {
    const taskId = await testTenant.openTask({ ready: true });
    await (await fixture.loadSegment()).park({
      journal: [],
      drops: [],
      waits: [llmWait('1'), sleepWait('2', 99_999_999_999)],
    });
    return taskId;
  },
  'it was put back': async (testTenant) => {
    const taskId = await testTenant.openTask({ ready: true });
    await (await fixture.loadSegment()).release();
    return taskId;
  },
  'its interaction was extended and then cancelled': async (testTenant) => {
    const taskId = await testTenant.openTask();
    await testTenant.interactions.extend(ANN, formatInteractionId(taskId, 1), 99_999_999_999);
    await testTenant.interactions.cancel(ANN, formatInteractionId(taskId, 1));
    return taskId;
  },
  'its interaction expired': async (testTenant) => {
    const taskId = await testTenant.withLifetimes({ interaction: 0 }).openTask();
    await fixture.sweep();
    return taskId;
  },
};

test.each(Object.entries(LIVES))(
  'a record outlives its task by the retention and a day at least: %s',
  async (_way, live) => {
    const testTenant = await fixture.createTenant();
    const taskId = await live(testTenant);
    expect(await spare(testTenant, taskId)).toBeGreaterThanOrEqual(RECORD_GRACE - 1_000);
  },
);

const ENDS: Record<string, (testTenant: TestTenant) => Promise<string>> = {
  settled: async (testTenant) => {
    const taskId = await testTenant.openTask({ ready: true });
    await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
    return taskId;
  },
  cancelled: async (testTenant) => {
    const taskId = await testTenant.openTask();
    await testTenant.tasks.cancel(ANN, taskId);
    return taskId;
  },
  expired: async (testTenant) => {
    const taskId = await testTenant.withLifetimes({ task: 0 }).openTask();
    await fixture.sweep();
    return taskId;
  },
};

test.each(Object.entries(ENDS))(
  'a task that was %s stays readable for the retention, and its record outlives that by far should nobody sweep',
  async (_how, end) => {
    const testTenant = await fixture.createTenant();
    const before = Date.now();
    const taskId = await end(testTenant);
    expect(Math.abs((await spare(testTenant, taskId)) - RECORD_GRACE)).toBeLessThan(1_000);
    const until = Number(await redis.zscore(testTenant.keys.retained, taskRef(taskId)));
    expect(until).toBeGreaterThanOrEqual(before + retention - 1_000);
    expect(until).toBeLessThanOrEqual(Date.now() + retention + 1_000);
    expect(await redis.pttl(testTenant.keys.retained)).toBeGreaterThan(retention);
    await fixture.sweep();
    expect(await redis.exists(testTenant.keys.task(taskId))).toBe(1);
    await redis.zadd(testTenant.keys.retained, 1, taskRef(taskId));
    await redis.zadd(fixture.shardKeys.due, 1, testTenant.store.id);
    await fixture.sweep();
    expect(await redis.exists(testTenant.keys.task(taskId)), 'its time is over').toBe(0);
  },
);

test('a task whose deadline no worker kept for most of a day is still there to end and to be read', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const left = await redis.pttl(testTenant.keys.task(taskId));
  expect(left).toBeGreaterThan(DEFAULT_LIFETIMES.task + retention + 86_400_000 - 5_000);
  expect(left).toBeLessThanOrEqual(unfinishedTaskTtl(DEFAULT_LIFETIMES));
});

test('an idempotency key lives as long as its task can, and its task never outlives it', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ idempotency: IDEMPOTENCY });
  const [key, record] = await Promise.all([
    redis.pexpiretime(testTenant.keys.idempotency(IDEMPOTENCY.key)),
    redis.pexpiretime(testTenant.keys.task(taskId)),
  ]);
  expect(key).toBeGreaterThanOrEqual(record);
  const brief = testTenant.withLifetimes({ retention: 0 });
  await brief.tasks.cancel(ANN, taskId);
  expect(await redis.pexpiretime(testTenant.keys.task(taskId))).toBeLessThan(key);
  await fixture.sweep();
  expect(await redis.exists(testTenant.keys.idempotency(IDEMPOTENCY.key)), 'it goes with its task').toBe(0);
});

test('nothing that a task leaves stays for ever, and indexes are trimmed while they are used', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ idempotency: IDEMPOTENCY });
  await testTenant.tasks.cancel(ANN, taskId);
  const keys = (await redis.keys('*')).filter((key) => !key.includes(':bull:'));
  const forever = [];
  for (const key of keys) if ((await redis.pttl(key)) === -1) forever.push(key);
  const { tenant, apiKeys, tasks, pending } = testTenant.keys;
  const own = forever.filter((key) => key.startsWith(tenant) && !key.includes(':key:'));
  expect(own.sort()).toEqual([tenant, apiKeys].sort());
  expect(await redis.pttl(tasks)).toBeGreaterThan(unfinishedTaskTtl(DEFAULT_LIFETIMES) - 5_000);
  await redis.zadd(tasks, 1, 'long gone|ann');
  await redis.zadd(pending, 1, 'long gone.1|ann');
  await testTenant.openTask();
  expect(await redis.zscore(tasks, 'long gone|ann')).toBeNull();
  expect(await redis.zscore(pending, 'long gone.1|ann')).toBeNull();
});
