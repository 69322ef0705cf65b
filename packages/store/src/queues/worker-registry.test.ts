import { expect, test, vi } from 'vitest';
import { WorkerRegistry } from './worker-registry.ts';
import { openFixture } from '../testing/store-fixture.ts';

const fixture = await openFixture();
const { redis } = fixture;
const { workers, swept } = fixture.shardKeys;
/** Redis's clock, in whole seconds. */
const redisSeconds = async () => Number((await redis.time())[0]);
const open = () => new WorkerRegistry(fixture.connection, fixture.shardKeys);

test('the programs of live workers are those of all of them; without a worker there is no set', async () => {
  expect(await open().programs()).toBeUndefined();
  await open().heartbeat('one', ['echo 1', 'echo 2']);
  await open().heartbeat('two', ['plan 1']);
  expect(await open().programs()).toEqual(new Set(['echo 1', 'echo 2', 'plan 1']));
  await open().deregister('one', ['echo 1', 'echo 2']);
  expect(await open().programs()).toEqual(new Set(['plan 1']));
});

test('a worker without a heartbeat for 5 s is no longer live', async () => {
  const before = await redisSeconds();
  await open().heartbeat('one', ['echo 1']);
  const [, until] = await redis.zrange(workers, '0', '-1', 'WITHSCORES');
  expect(Number(until) / 1_000).toBeGreaterThanOrEqual(before + 5);
  expect(Number(until) / 1_000).toBeLessThanOrEqual((await redisSeconds()) + 1 + 5);
  await redis.zadd(workers, 1, 'one echo 1');
  expect(await open().programs()).toBeUndefined();
  await open().heartbeat('two', ['echo 1']);
  expect(await redis.zcard(workers), 'and is forgotten').toBe(1);
});

test('a process reads the programs once a second at most', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const live = open();
    expect(await live.programs()).toBeUndefined();
    await live.heartbeat('one', ['echo 1']);
    vi.advanceTimersByTime(1_000);
    expect(await live.programs(), 'as it stood').toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(await live.programs()).toEqual(new Set(['echo 1']));
  } finally {
    vi.useRealTimers();
  }
});

test('a heartbeat returns how long ago the last sweep began', async () => {
  expect(await open().heartbeat('one', [])).toBe(-1);
  const before = await redisSeconds();
  await fixture.sweep();
  const ago = await open().heartbeat('one', []);
  expect(ago).toBeGreaterThanOrEqual(0);
  expect(ago).toBeLessThanOrEqual(((await redisSeconds()) + 1 - before) * 1_000);
  await redis.set(swept, 1);
  expect(await open().heartbeat('one', [])).toBeGreaterThan(1_000_000);
});
