/** The workers' door: every shard, with what it has ready and due, and BullMQ's wake-ups. Crosses tenants. */
import { internalsOf } from './internals.ts';
import { drainWorker as listen } from './queues.ts';
import { Shard } from './shard.ts';
import type { Store } from './store.ts';

export { taskRef } from './keys.ts';
export type { Segment, SegmentState } from './segment.ts';
export type { Shard } from './shard.ts';

export function openShards(store: Store): Shard[] {
  const { connection, keyspace, queues } = internalsOf(store);
  return Array.from(
    { length: keyspace.shards },
    (_, index) =>
      new Shard(
        index,
        connection,
        keyspace.shard(index),
        (id) => store.tenant(id),
        store.inbox,
        () => queues.add(index),
      ),
  );
}

/** Runs `drain` for each job of a shard, one at a time. Close what it returns. */
export function drainWorker(store: Store, shard: number, drain: () => Promise<void>) {
  const { connection, keyspace } = internalsOf(store);
  return listen(connection, keyspace, shard, drain);
}
