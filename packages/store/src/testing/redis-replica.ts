import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';

const args = ['--appendonly', 'no', '--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];

/** A Redis and one replica of it, in step. */
export async function startRedisWithReplica(more: readonly string[] = []): Promise<{
  master: PrivateRedis;
  replica: PrivateRedis;
  stop: () => Promise<void>;
}> {
  const [master, replica] = await Promise.all([
    startPrivateRedis({ listen: 'tcp', args: [...args, ...more] }),
    startPrivateRedis({ listen: 'tcp', args: [...args, ...more] }),
  ]);
  const client = new Redis(replica.url);
  await client.replicaof('127.0.0.1', Number(new URL(master.url).port));
  client.disconnect();
  await waitUntilReplicated(master.url);
  return {
    master,
    replica,
    stop: async () => {
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}

/** Waits until a master's writes are confirmed by a replica. */
export async function waitUntilReplicated(masterUrl: string): Promise<void> {
  const master = new Redis(masterUrl);
  try {
    for (let tries = 0; tries < 100; tries++) {
      await master.publish('in step?', '');
      if ((await master.wait(1, 100)) >= 1) return;
    }
    throw new Error('the replica did not come into step');
  } finally {
    master.disconnect();
  }
}
