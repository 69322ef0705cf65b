import { expect, test } from 'vitest';
import { WorkerRegistry } from './worker-registry.ts';
import { openFixture } from '../testing/store-fixture.ts';

const fixture = await openFixture();
const { redis } = fixture;
const { workers, swept } = fixture.shardKeys;
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
  await open().heartbeat('one', ['echo 1']);
  const [, until] = await redis.zrange(workers, '0', '-1', 'WITHSCORES');
  const [seconds] = await redis.time();
  expect(Number(until) / 1_000 - Number(seconds)).toBeGreaterThan(3.9);
  expect(Number(until) / 1_000 - Number(seconds)).toBeLessThan(6.1);
  await redis.zadd(workers, 1, 'one echo 1');
  expect(await open().programs()).toBeUndefined();
  await open().heartbeat('two', ['echo 1']);
  expect(await redis.zcard(workers), 'and is forgotten').toBe(1);
});

test('a process reads the programs once a second at most', async () => {
  const live = open();
  expect(await live.programs()).toBeUndefined();
  await live.heartbeat('one', ['echo 1']);
  expect(await live.programs(), 'as it stood').toBeUndefined();
  await expect.poll(() => live.programs(), { timeout: 3_000 }).toEqual(new Set(['echo 1']));
});

test('a heartbeat returns how long ago the last sweep began', async () => {
  expect(await open().heartbeat('one', [])).toBe(-1);
  await fixture.sweep();
  expect(await open().heartbeat('one', [])).toBeLessThan(1_000);
  await redis.set(swept, 1);
  expect(await open().heartbeat('one', [])).toBeGreaterThan(1_000_000);
});
