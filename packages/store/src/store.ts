import { BatonError } from '@baton/protocol';
import { Cluster } from 'ioredis';
import { Connection } from './redis/connection.ts';
import { ReplicaInbox } from './waiting/replica-inbox.ts';
import { registerInternals } from './internals.ts';
import { Keyspace, topologyKey } from './records/keys.ts';
import { WorkerRegistry } from './queues/worker-registry.ts';
import { type JobCount, BullmqQueues } from './queues/bullmq-queues.ts';
import type { Replication } from './redis/replicated-write.ts';
import { type SealKey, sealKey } from './seal-key.ts';
import { TenantStore } from './tenant-store.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './records/ttl.ts';

export interface StoreOptions {
  readonly url: string;
  /** Seals and peppers: keys are stored as HMACs with it, and what clients keep is sealed with keys derived from it. */
  readonly secret: string;
  /** The name of this process, unique among those that share the Redis. */
  readonly replica: string;
  readonly prefix?: string | undefined;
  readonly lifetimes?: Lifetimes | undefined;
  /** The replicas of Redis that are waited for before anything is acknowledged; none when left out. */
  readonly replication?: Replication | undefined;
  /** Fixed at the first start against a Redis and recorded there; later starts take what is recorded. */
  readonly shards?: number | undefined;
}

/** A door holds names, no data: it is made again when these are thrown away. */
const MAX_CACHED_TENANTS = 10_000;

/**
 * One process's hold on Redis. `tenant` is the door to a tenant. What crosses tenants has doors of its own, in
 * `@baton/store/operator` and `@baton/store/shards`, which the linter opens to the operator surface and the worker.
 */
export class Store {
  readonly inbox: ReplicaInbox;
  /** The name of this process. */
  readonly replica: string;
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;
  private readonly queues: BullmqQueues;
  private readonly secret: string;
  private readonly lifetimes: Lifetimes;
  private readonly tenants = new Map<string, TenantStore>();
  private readonly workerRegistries = new Map<number, WorkerRegistry>();

  private constructor(connection: Connection, keyspace: Keyspace, inbox: ReplicaInbox, options: StoreOptions) {
    this.connection = connection;
    this.keyspace = keyspace;
    this.inbox = inbox;
    this.replica = options.replica;
    this.queues = new BullmqQueues(connection, keyspace);
    this.secret = options.secret;
    this.lifetimes = options.lifetimes ?? DEFAULT_LIFETIMES;
    registerInternals(this, { connection, keyspace, queues: this.queues });
  }

  /** Errors: `unavailable` when the Redis does not answer or would evict. */
  static async open(options: StoreOptions): Promise<Store> {
    const connection = await Connection.open(options.url, options.replication);
    try {
      const prefix = options.prefix ?? 'baton';
      const keyspace = new Keyspace(prefix, await resolveTopology(connection, prefix, options.shards));
      const inbox = await ReplicaInbox.open(connection, keyspace, options.replica);
      return new Store(connection, keyspace, inbox, options);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** The door to a tenant. It opens for any well-formed id; what is behind it admits callers or not. */
  tenant(id: string): TenantStore {
    let tenant = this.tenants.get(id);
    if (tenant === undefined) {
      const shard = this.keyspace.shardIndex(id);
      const addJob = (job: string, taskId?: string) => this.queues.enqueueResumeJob(shard, id, job, taskId);
      tenant = new TenantStore(
        this.connection,
        this.keyspace.tenant(id),
        this.lifetimes,
        addJob,
        this.workerRegistry(shard),
        this.secret,
      );
      if (this.tenants.size === MAX_CACHED_TENANTS) this.tenants.clear();
      this.tenants.set(id, tenant);
    }
    return tenant;
  }

  private workerRegistry(shard: number): WorkerRegistry {
    const known = this.workerRegistries.get(shard) ?? new WorkerRegistry(this.connection, this.keyspace.shard(shard));
    this.workerRegistries.set(shard, known);
    return known;
  }

  /** The keys for what is sealed under a label, the one to seal with first; any of them opens. */
  sealKeys(label: string): readonly SealKey[] {
    return [sealKey(this.secret, label)];
  }

  /** Throws `unavailable` when Redis does not answer now, UnsafeRedis when it has come to evict. */
  async ping(): Promise<void> {
    await this.connection.checkEvictionPolicy();
  }

  /** The queues that an operator has paused in BullMQ, as `<shard>:<queue>`. Errors: `unavailable`. */
  async pausedQueues(): Promise<string[]> {
    return this.queues.pausedQueues();
  }

  /** How many jobs of each queue stand where, for metrics. */
  async jobCounts(): Promise<JobCount[]> {
    return this.queues.jobCounts();
  }

  async close(): Promise<void> {
    this.inbox.close();
    await this.queues.close().catch(() => {});
    await this.connection.close();
  }
}

const CLUSTER_SHARDS = 16;

/**
 * How records are laid out. Bumped by hand when a release reads or writes them otherwise than the one before: work that
 * two releases share and read differently would not fail, it would hang.
 */
const LAYOUT = 2;

/** The number of shards and the layout decide where and how everything stands: whoever starts first fixes them, for all. */
async function resolveTopology(
  connection: Connection,
  prefix: string,
  wanted: number | undefined,
): Promise<number> {
  const key = topologyKey(prefix);
  const look = () => connection.command((client) => client.hmget(key, 'shards', 'layout'));
  let [recorded, layout] = await look();
  if (!recorded || !layout) {
    // Only the first start writes: all others come up while Redis is full, too.
    const shards = wanted ?? (connection.client instanceof Cluster ? CLUSTER_SHARDS : 1);
    await connection.write('HSETNX', key, 'shards', shards);
    await connection.write('HSETNX', key, 'layout', LAYOUT);
    [recorded, layout] = await look();
  }
  if (layout !== String(LAYOUT)) {
    throw new BatonError(
      'unavailable',
      `This Redis holds Baton's data in layout ${layout}, and this release reads layout ${LAYOUT}. Run the release that wrote ` +
        'it until its work has ended, or use another Redis or BATON_REDIS_PREFIX.',
    );
  }
  if (wanted !== undefined && recorded !== String(wanted)) {
    throw new BatonError(
      'unavailable',
      `This Redis holds Baton's data in ${recorded} shards, and ${wanted} were asked for. The number is fixed at the first start.`,
    );
  }
  return Number(recorded);
}
