import type { Connection } from './connection.ts';
import type { TenantKeys } from './keys.ts';
import type { Lifetimes } from './ttl.ts';

/** Where a tenant's things are, shared by the rooms behind its door. */
export class Place {
  readonly connection: Connection;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  /** Wakes a worker of this tenant's shard, given the size of the ready set. */
  readonly wake: (ready: number) => Promise<void>;

  constructor(
    connection: Connection,
    keys: TenantKeys,
    lifetimes: Lifetimes,
    wake: (ready: number) => Promise<void>,
  ) {
    this.connection = connection;
    this.keys = keys;
    this.lifetimes = lifetimes;
    this.wake = wake;
  }
}
