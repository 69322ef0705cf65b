import type { Connection } from './redis/connection.ts';
import type { Keyspace } from './records/keys.ts';
import type { BullmqQueues } from './queues/bullmq-queues.ts';
import type { Store } from './store.ts';

/** What a store's other doors share with it, and nobody outside this package can reach. */
interface Internals {
  readonly connection: Connection;
  readonly keyspace: Keyspace;
  readonly queues: BullmqQueues;
}

const internals = new WeakMap<Store, Internals>();

export function registerInternals(store: Store, inside: Internals): void {
  internals.set(store, inside);
}

export function internalsOf(store: Store): Internals {
  const inside = internals.get(store);
  if (inside === undefined) throw new Error('this store was not opened with Store.open');
  return inside;
}
