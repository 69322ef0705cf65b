import { Connection } from './redis/connection.ts';
import { Keyspace, topologyKey } from './records/keys.ts';
import { mastersOf } from './redis/redis-client.ts';

/** What an operator asks of a Redis that Baton uses, or is to use. */
export interface RedisReport {
  readonly version: string;
  readonly appendOnly: boolean;
  /** 0 for no limit. */
  readonly maxMemoryBytes: number;
  readonly usedMemoryBytes: number;
  /** How far its clock is ahead of this machine's, in milliseconds; the call's own time is its error. */
  readonly clockAheadMs: number;
  /** Undefined where no Baton has started on it. */
  readonly shards: number | undefined;
  /** The secrets that the processes on it have, by their ids; undefined where none are recorded. */
  readonly secretIds: string | undefined;
  /** Workers that live, by name; of all shards. */
  readonly workers: readonly string[];
}

/**
 * Reads what a Redis is and which workers live on it, and writes nothing. Of several nodes the first tells its version and memory. Errors:
 * `unavailable` with the reason when it does not answer or takes no writes, EvictionPolicyError when its policy may evict keys.
 */
export async function reportRedis(url: string, prefix: string): Promise<RedisReport> {
  const connection = await Connection.open(url);
  try {
    await connection.ping();
    return await readRedisReport(connection, prefix);
  } finally {
    await connection.close();
  }
}

/** The same over a connection that there is. Errors: `unavailable`. */
export function readRedisReport(connection: Connection, prefix: string): Promise<RedisReport> {
  return connection.command(async (client) => {
    const [node = client] = mastersOf(client);
    const info = String(await node.info());
    const asked = Date.now();
    const [seconds = 0, micros = 0] = (await node.time()).map(Number);
    const now = seconds * 1_000 + micros / 1_000;
    const [shards, secretIds] = await client.hmget(topologyKey(prefix), 'shards', 'secrets');
    const count = Number(shards ?? 0);
    const keyspace = new Keyspace(prefix, count);
    const members = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        client.zrangebyscore(keyspace.shard(index).workers, now, '+inf'),
      ),
    );
    return {
      version: fieldOf(info, 'redis_version'),
      appendOnly: fieldOf(info, 'aof_enabled') === '1',
      maxMemoryBytes: Number(fieldOf(info, 'maxmemory')),
      usedMemoryBytes: Number(fieldOf(info, 'used_memory')),
      clockAheadMs: Math.round(now - (asked + Date.now()) / 2),
      shards: count === 0 ? undefined : count,
      secretIds: secretIds ?? undefined,
      workers: [...new Set(members.flat().map((member) => member.slice(0, member.indexOf(' '))))],
    };
  });
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(\\S*)`, 'm').exec(info)?.[1] ?? '';
}
