import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** The queue `resume` as an operator's own tool sees it: BullMQ's API over the same Redis, nothing of Baton's. */
export function openBullQueue(
  redisUrl: string,
  name: 'resume' | 'deadlines' = 'resume',
): { queue: Queue; redis: Redis; close(): Promise<void> } {
  const redis = new Redis(redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection: redis, prefix: 'baton:{s0}:bull' });
  return {
    queue,
    redis,
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}

/** How many jobs were added to the tenant's lists so far. */
export async function countAddedJobs(redis: Redis, tenant = 'acme'): Promise<number> {
  return Number(await redis.hget(`baton:{s0}:t:${tenant}:jobs`, 'next'));
}
