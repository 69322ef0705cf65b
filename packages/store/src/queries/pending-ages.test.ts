import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode } from '../testing/test-tenant.ts';
import { PendingAges } from './pending-ages.ts';

const fixture = await openFixture();
const { redis, keyspace } = fixture;

test('every tenant that has tasks is looked at, in pages, and each age counts what belongs to it', async () => {
  const { due } = keyspace.shard(0);
  const now = Date.now();
  const MINUTE = 60_000;
  for (let n = 0; n < 600; n++) {
    const { pending } = keyspace.tenant(`crowd-${n}`);
    await redis.zadd(due, n, `crowd-${n}`);
    if (n % 3 === 0) continue;
    await redis.zadd(pending, now, 'a|x', now - 5 * MINUTE, 'b|x', now - 61 * MINUTE, 'c|x');
  }
  const counted = await new PendingAges(fixture.connection, keyspace).count();
  expect(counted).toEqual([
    { age: 'under_1m', count: 400 },
    { age: 'under_10m', count: 400 },
    { age: 'under_1h', count: 0 },
    { age: 'over_1h', count: 400 },
  ]);
});

test('who asks while it is being counted, or soon after, is told the same count', async () => {
  const ages = new PendingAges(fixture.connection, keyspace);
  const first = ages.count();
  expect(ages.count()).toBe(first);
  await first;
  expect(ages.count()).toBe(first);
});

test('a count that failed is not told again', async () => {
  const { pending } = keyspace.tenant('broken');
  await redis.zadd(keyspace.shard(0).due, 1, 'broken');
  await redis.set(pending, 'no sorted set');
  const ages = new PendingAges(fixture.connection, keyspace);
  await expect(ages.count()).rejects.toThrow();
  await redis.del(pending);
  await redis.zadd(pending, Date.now(), 'a|x');
  expect((await ages.count()).map(({ count }) => count)).toEqual([1, 0, 0, 0]);
});

test('where Redis refuses a command of the walk, the count is unavailable', async () => {
  await redis.zadd(keyspace.shard(0).due, 1, 'waits');
  await redis.call('ACL', 'SETUSER', 'default', '-zcard');
  try {
    expect(await errorCode(new PendingAges(fixture.connection, keyspace).count())).toBe('unavailable');
  } finally {
    await redis.call('ACL', 'SETUSER', 'default', '+zcard');
  }
});
