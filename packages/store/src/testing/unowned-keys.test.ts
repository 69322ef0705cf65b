import { expect, test } from 'vitest';
import { findUnownedKeys } from './unowned-keys.ts';
import { runEveryScript } from './every-script.ts';
import { openFixture } from './store-fixture.ts';

/** Scenarios over the wire are held to the same at the end of each (tests/harness/in-process-deployment.ts). */
const fixture = await openFixture();
const { redis } = fixture;

test('whatever scripts leave behind expires, or has an owner that takes it along', async () => {
  const testTenant = await fixture.createTenant();
  // The first process records it when it starts; this fixture empties its Redis before each test.
  await redis.hset(fixture.keyspace.topology, 'shards', 1);
  await runEveryScript(fixture, testTenant);
  expect((await redis.keys('*')).length).toBeGreaterThan(15);
  expect(await findUnownedKeys(redis)).toEqual([]);
});

test.each<[string, (name: string) => Promise<unknown>, RegExp]>([
  ['a key of no kind', (tenant) => redis.set(`${tenant}:notes`, 1), /notes is of no known kind/],
  ['a key past the prefix', () => redis.set('other', 1), /other is of no known kind/],
  ['a task without a lifetime', (tenant) => redis.hset(`${tenant}:task:x`, 'st', 'failed'), /never expires/],
  ['an index without one', (tenant) => redis.zadd(`${tenant}:tasks`, 1, 'x|ann'), /never expires/],
  ['a project of no tenant', (tenant) => redis.hset(`${tenant}0:project:x`, 'v', 1), /tenant that is gone/],
  [
    'a pending interaction of no task',
    (tenant) => redis.zadd(`${tenant}:pending`, 1, 'x.1|ann'),
    /task that is gone/,
  ],
  [
    'a tenant that is due and gone',
    () => redis.zadd(fixture.shardKeys.due, 1, 'nobody'),
    /nobody of a tenant/,
  ],
  [
    'an ended API key',
    (tenant) => redis.hset(`${tenant}:key:x`, 'expires', 1),
    /has an end and never expires/,
  ],
])('%s is found', async (_what, plant, problem) => {
  const testTenant = await fixture.createTenant();
  expect(await findUnownedKeys(redis)).toEqual([]);
  await plant(testTenant.keys.tenant);
  expect(await findUnownedKeys(redis)).toEqual([expect.stringMatching(problem)]);
});
