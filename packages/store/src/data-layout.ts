import { Cluster } from 'ioredis';
import { type Keyspace, topologyKey } from './records/keys.ts';
import type { Connection } from './redis/connection.ts';
import { UnsupportedSettingError } from './redis/redis-errors.ts';
import { restoreSecrets } from './secrets/secrets-in-use.ts';

const CLUSTER_SHARDS = 16;

/**
 * The layout of the records. Bumped by hand when a release reads or writes them differently from the one before: two
 * releases that share work and read it differently would not fail, their tasks would hang.
 */
const LAYOUT_VERSION = 2;

/**
 * The number of shards of this Redis. The first start records it with the layout, for all later ones: `wanted`, or 16 on a
 * cluster, or 1. Errors: UnsupportedSettingError when another number or another layout is recorded.
 */
export async function recordOrCheckLayout(
  connection: Connection,
  prefix: string,
  wanted: number | undefined,
): Promise<number> {
  const key = topologyKey(prefix);
  const read = () => connection.command((client) => client.hmget(key, 'shards', 'layout'));
  let [recorded, layout] = await read();
  if (!recorded || !layout) {
    // Only the first start writes: all others succeed while Redis is full, too.
    const shards = wanted ?? (connection.client instanceof Cluster ? CLUSTER_SHARDS : 1);
    await recordLayout(connection, prefix, shards);
    [recorded, layout] = await read();
  }
  if (layout !== String(LAYOUT_VERSION)) {
    throw new UnsupportedSettingError(
      `This Redis holds Baton's data in layout ${layout}, and this release reads layout ${LAYOUT_VERSION}. Run the release that wrote ` +
        'it until its work has ended, or use another Redis or BATON_REDIS_PREFIX.',
    );
  }
  if (wanted !== undefined && recorded !== String(wanted)) {
    throw new UnsupportedSettingError(
      `BATON_SHARDS is ${wanted}, and this Redis holds Baton's data in ${recorded}: the number is fixed at the first start. Leave it out.`,
    );
  }
  return Number(recorded);
}

/** Records the layout of a running process, and its secrets, where none is: a Redis may come back without its data. Errors: `unavailable`. */
export async function restoreLayout(
  connection: Connection,
  { prefix, shards }: Pick<Keyspace, 'prefix' | 'shards'>,
  secretIds: string,
): Promise<void> {
  const isRecorded = await connection.command((client) => client.hexists(topologyKey(prefix), 'layout'));
  if (isRecorded === 1) return;
  await recordLayout(connection, prefix, shards);
  await restoreSecrets(connection, prefix, secretIds);
}

async function recordLayout(connection: Connection, prefix: string, shards: number): Promise<void> {
  await connection.write('HSETNX', topologyKey(prefix), 'shards', shards);
  await connection.write('HSETNX', topologyKey(prefix), 'layout', LAYOUT_VERSION);
}
