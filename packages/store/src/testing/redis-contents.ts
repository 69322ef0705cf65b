import type { Redis } from 'ioredis';

/** Everything under a prefix but BullMQ's, readable, with the time at which each key ends: to hold a before against an after. */
export async function readRedisContents(redis: Redis, prefix: string): Promise<Record<string, unknown>> {
  const keys = (await redis.keys(`${prefix}:*`)).filter((key) => !key.includes(':bull:')).sort();
  const all = await Promise.all(
    keys.map(async (key) => [key, await readValue(redis, key), await redis.pexpiretime(key)] as const),
  );
  // A key may end while it is read.
  const left = all.filter(([, , ends]) => ends !== -2);
  return Object.fromEntries(left.map(([key, value, ends]) => [key, { value, ends }]));
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  return redis.dump(key);
}
