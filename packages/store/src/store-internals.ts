import type { BullmqQueues } from './queues/bullmq-queues.ts';
import type { Keyspace } from './records/keys.ts';
import type { Connection } from './redis/connection.ts';
import type { TenantContext } from './tenant/tenant-context.ts';

/** The parts of a store that the operator's and the shards' entry points share with it; not exported by the package. */
interface Internals {
  readonly connection: Connection;
  readonly keyspace: Keyspace;
  readonly queues: BullmqQueues;
  /** The secrets of this process, as Redis names them. */
  readonly secretIds: string;
  readonly contextOf: (tenant: string) => TenantContext;
}

const internals = new WeakMap<object, Internals>();

export function registerStoreInternals(store: object, parts: Internals): void {
  internals.set(store, parts);
}

export function storeInternalsOf(store: object): Internals {
  const parts = internals.get(store);
  if (parts === undefined) throw new Error('this store was not opened with Store.open');
  return parts;
}
