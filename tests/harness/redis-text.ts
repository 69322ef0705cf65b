import type { Redis } from 'ioredis';

/** Everything in Redis as one text, BullMQ's jobs included: to look for what may stand nowhere. */
export async function readRedisText(redis: Redis): Promise<string> {
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map(async (key) => readValue(redis, key, await redis.type(key))));
  return JSON.stringify([keys, values]);
}

function readValue(redis: Redis, key: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1', 'WITHSCORES');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      // It has gone meanwhile.
      return Promise.resolve(null);
  }
}
