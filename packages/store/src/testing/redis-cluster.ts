import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';

/** A Redis Cluster of two nodes, each with half of the slots. */
export interface TestRedisCluster {
  /** `redis+cluster://...` of both. */
  readonly url: string;
  /** `redis://...` of each. */
  readonly nodes: readonly string[];
  stop(): Promise<void>;
}

export async function startTestCluster(): Promise<TestRedisCluster> {
  const args = ['--appendonly', 'no', '--cluster-enabled', 'yes', '--cluster-node-timeout', '5000'];
  const servers = await Promise.all([0, 1].map(() => startPrivateRedis({ listen: 'tcp', args })));
  const [first, second] = servers.map((server) => new Redis(server.url));
  if (!first || !second) throw new Error('two servers have two clients');
  await first.cluster('ADDSLOTSRANGE', 0, 8191);
  await second.cluster('ADDSLOTSRANGE', 8192, 16383);
  await first.cluster('MEET', '127.0.0.1', Number(new URL(servers[1]!.url).port));
  for (const node of [first, second]) await waitUntilReady(node);
  first.disconnect();
  second.disconnect();
  const hosts = servers.map((server) => server.url.slice('redis://'.length));
  return {
    url: `redis+cluster://${hosts.join(',')}`,
    nodes: servers.map((server) => server.url),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** A node takes writes two seconds after its start at the earliest. */
async function waitUntilReady(node: Redis): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const info = (await node.cluster('INFO')) as string;
    if (info.includes('cluster_state:ok') && info.includes('cluster_slots_assigned:16384')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the two nodes did not become a cluster');
}
