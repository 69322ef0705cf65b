import { randomUUID } from 'node:crypto';
import { taskIdFromUuid } from '@baton/protocol';
import { Redis } from 'ioredis';
import { taskRef } from '../../packages/store/src/records/keys.ts';
import type { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** Stores a conversation without messages, as a worker would have begun it; returns its id. */
export async function storeConversation(
  baton: InProcessDeployment,
  principal: string,
  usedAt = 1,
): Promise<string> {
  const id = taskIdFromUuid(randomUUID());
  const redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const { keys } = baton.store.tenant('acme');
  const fields = { by: principal, at: 1, used: usedAt, from: 0, to: 0, bytes: 0 };
  await redis.hset(keys.conversation(id), fields);
  await redis.pexpire(keys.conversation(id), 3_600_000);
  await redis.zadd(keys.conversations, usedAt, `${taskRef(id)}|${principal}`);
  redis.disconnect();
  return id;
}
