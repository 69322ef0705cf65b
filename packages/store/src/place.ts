import type { Connection } from './connection.ts';
import type { TenantKeys } from './keys.ts';
import type { LiveWorkers } from './live-workers.ts';
import type { Lifetimes } from './ttl.ts';

/** Where a tenant's things are, shared by the rooms behind its door. */
export class Place {
  readonly connection: Connection;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  /** Adds the BullMQ job that a script asked for, if it asked for one: "number list", or ''. Never throws. */
  readonly addJob: (job: string, taskId?: string) => void;
  /** The workers of the tenant's shard. */
  readonly workers: LiveWorkers;

  constructor(
    connection: Connection,
    keys: TenantKeys,
    lifetimes: Lifetimes,
    addJob: Place['addJob'],
    workers: LiveWorkers,
  ) {
    this.connection = connection;
    this.keys = keys;
    this.lifetimes = lifetimes;
    this.addJob = addJob;
    this.workers = workers;
  }
}
