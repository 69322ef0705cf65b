import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivateRedis } from '@baton/local-redis';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';

/**
 * Makes a server refuse writes as it does when its disk is full: a snapshot fails, and it is configured to take nothing then. Resolves with what ends
 * that.
 */
export async function refuseWrites({ dir }: PrivateRedis, client: Redis): Promise<() => Promise<void>> {
  const obstacle = join(dir, 'dump.rdb');
  await mkdir(obstacle);
  await client.config('SET', 'save', '3600 1');
  await client.bgsave();
  await expect.poll(() => client.info('persistence')).toContain('rdb_last_bgsave_status:err');
  return async () => {
    await rmdir(obstacle);
    await client.config('SET', 'save', '');
  };
}
