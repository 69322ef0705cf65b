import { LRUCache } from 'lru-cache';
import { Connection } from './redis/connection.ts';
import type { RedisMemory } from './redis/memory-reserve.ts';
import { AdmissionChanges } from './waiting/admission-changes.ts';
import { ReplicaInbox } from './waiting/replica-inbox.ts';
import { CursorSeal } from './cursors/cursor-seal.ts';
import { ApiKeyDigests } from './secrets/api-key-digests.ts';
import { KeyedMutex } from './tenant/keyed-mutex.ts';
import { AgentDefinitionCache } from './tenant/agent-definition-cache.ts';
import { registerStoreInternals } from './store-internals.ts';
import { type PendingAge, PendingAges } from './queries/pending-ages.ts';
import { Keyspace } from './records/keys.ts';
import { WorkerRegistry } from './queues/worker-registry.ts';
import { type JobCount, BullmqQueues } from './queues/bullmq-queues.ts';
import type { Replication } from './redis/replicated-writer.ts';
import { recordOrCheckSecrets, secretIds, type Secrets } from './secrets/secrets-in-use.ts';
import { Seal } from './secrets/seal.ts';
import { Roles } from './tenant/roles.ts';
import type { UnansweredWait } from './records/unanswered-waits.ts';
import type { TenantContext } from './tenant/tenant-context.ts';
import { TenantStore } from './tenant-store.ts';
import { recordOrCheckLayout } from './data-layout.ts';
import { DEFAULT_LIFETIMES, type Lifetimes } from './records/durations.ts';

export interface StoreOptions {
  readonly url: string;
  /** API keys are stored as HMACs with it; session ids, cursors and keys of LLM endpoints are sealed with keys derived from it. */
  readonly secret: string;
  /** Secrets that were `secret` before: what they have hashed and sealed is good still. */
  readonly previousSecrets?: readonly string[] | undefined;
  /** Starts on a Redis whose deployment has another secret, too. */
  readonly anySecret?: boolean | undefined;
  /** The name of this process, unique among those that share the Redis. */
  readonly replica: string;
  /** The lifetime of an API key that is created without an end, in milliseconds; none when left out. */
  readonly keyTtl?: number | undefined;
  readonly prefix?: string | undefined;
  readonly lifetimes?: Lifetimes | undefined;
  /** The replicas of Redis that must have a write before it is acknowledged; none when left out. */
  readonly replication?: Replication | undefined;
  /** Recorded in Redis by the first start; a later start may leave it out, or must give the same. */
  readonly shards?: number | undefined;
}

/** The objects of so many tenants are cached; they hold key names, and what a tenant's roles are asked of for a second. */
const MAX_CACHED_TENANTS = 10_000;

interface TenantParts {
  readonly context: TenantContext;
  readonly store: TenantStore;
}

/**
 * The store of one process. `tenant` is the only way to a tenant's data. What crosses tenants is in `@baton/store/operator`
 * and `@baton/store/shards`, which the linter lets only the operator's routes and the worker import.
 */
export class Store {
  readonly inbox: ReplicaInbox;
  readonly admissionChanges: AdmissionChanges;
  /** The name of this process. */
  readonly replica: string;
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;
  private readonly queues: BullmqQueues;
  private readonly pendingAges: PendingAges;
  private readonly secrets: Secrets;
  private readonly digests: ApiKeyDigests;
  private readonly keyTtl: number;
  private readonly lifetimes: Lifetimes;
  private readonly tenants = new LRUCache<string, TenantParts>({ max: MAX_CACHED_TENANTS });
  private readonly agentDefinitions = new AgentDefinitionCache();
  private readonly mutex = new KeyedMutex();
  private observeUnanswered: (wait: UnansweredWait) => void = () => {};
  private readonly workerRegistries = new Map<number, WorkerRegistry>();

  private constructor(
    connection: Connection,
    keyspace: Keyspace,
    inbox: ReplicaInbox,
    admissionChanges: AdmissionChanges,
    options: StoreOptions,
  ) {
    this.connection = connection;
    connection.onLost(() => this.mutex.forget());
    this.keyspace = keyspace;
    this.inbox = inbox;
    this.admissionChanges = admissionChanges;
    this.replica = options.replica;
    this.queues = new BullmqQueues(connection, keyspace);
    this.pendingAges = new PendingAges(connection, keyspace);
    this.secrets = secretsOf(options);
    this.digests = new ApiKeyDigests(this.secrets);
    this.keyTtl = options.keyTtl ?? 0;
    this.lifetimes = options.lifetimes ?? DEFAULT_LIFETIMES;
    registerStoreInternals(this, {
      connection,
      keyspace,
      queues: this.queues,
      secretIds: secretIds(this.secrets),
      contextOf: (tenant) => this.parts(tenant).context,
    });
  }

  /** Errors: `unavailable` when Redis does not answer, its policy may evict keys, or its deployment has another layout or secret. */
  static async open(options: StoreOptions): Promise<Store> {
    const connection = await Connection.open(options.url, options.replication);
    try {
      const prefix = options.prefix ?? 'baton';
      const keyspace = new Keyspace(prefix, await recordOrCheckLayout(connection, prefix, options.shards));
      await recordOrCheckSecrets(connection, prefix, secretsOf(options), options.anySecret === true);
      const admissionChanges = await AdmissionChanges.open(connection.pubSub, keyspace.admissionChannel);
      const inbox = await ReplicaInbox.open(connection, keyspace, options.replica, admissionChanges);
      return new Store(connection, keyspace, inbox, admissionChanges, options);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Calls back with the name of each script that has run and its milliseconds, what it waited for its batch included. */
  onScript(observe: (name: string, ms: number) => void): void {
    this.connection.onScript = observe;
  }

  /** Calls back with each request of a traced task that this process has ended without an answer: it expired, or was cancelled. */
  onUnanswered(observe: (wait: UnansweredWait) => void): void {
    this.observeUnanswered = observe;
  }

  /** The data of one tenant. Any well-formed id has a store; its methods admit the caller or refuse it. */
  tenant(id: string): TenantStore {
    return this.parts(id).store;
  }

  private parts(id: string): TenantParts {
    let parts = this.tenants.get(id);
    if (parts === undefined) {
      const context = this.newContext(id);
      parts = { context, store: new TenantStore(context, this.digests, this.keyTtl) };
      this.tenants.set(id, parts);
    }
    return parts;
  }

  private newContext(id: string): TenantContext {
    const shard = this.keyspace.shardIndex(id);
    const addJob = (request: string, taskId?: string) => this.queues.enqueueJobs(shard, id, request, taskId);
    const { connection, lifetimes, agentDefinitions, mutex } = this;
    const keys = this.keyspace.tenant(id);
    return {
      connection,
      keys,
      lifetimes,
      addJob,
      onUnanswered: (waits) => waits.forEach((wait) => this.observeUnanswered(wait)),
      agentDefinitions,
      mutex,
      workers: this.workerRegistry(shard),
      cursors: new CursorSeal(this.seal(`cursors of ${id}`)),
      roles: new Roles(connection, keys, this.seal(`endpoint keys of ${id}`)),
    };
  }

  private workerRegistry(shard: number): WorkerRegistry {
    const registry =
      this.workerRegistries.get(shard) ?? new WorkerRegistry(this.connection, this.keyspace.shard(shard));
    this.workerRegistries.set(shard, registry);
    return registry;
  }

  /** What seals texts of one purpose. */
  seal(purpose: string): Seal {
    return new Seal(this.secrets, purpose);
  }

  /** Errors: `unavailable` when Redis does not answer now, takes no writes, or its policy may evict keys; `unreadyReason` tells them apart. */
  async ping(): Promise<void> {
    await this.connection.ping();
  }

  /** How full Redis is, and whether it can be used, as of a second ago. */
  get redisMemory(): RedisMemory {
    return this.connection.memory;
  }

  /** The queues that an operator has paused in BullMQ, as `<shard>:<queue>`. Errors: `unavailable`. */
  async pausedQueues(): Promise<string[]> {
    return this.queues.pausedQueues();
  }

  /** The number of jobs of each queue in each state, for metrics. */
  async jobCounts(): Promise<JobCount[]> {
    return this.queues.jobCounts();
  }

  /** How long the oldest job of the queue `resume` has waited for a worker, in milliseconds; undefined where none waits. Errors: `unavailable`. */
  async resumeLag(): Promise<number | undefined> {
    return this.queues.oldestWait('resume');
  }

  /** What waits for an answer in the whole deployment, by age; as of a moment ago where there are many tenants. Errors: `unavailable`. */
  async pendingByAge(): Promise<readonly PendingAge[]> {
    return this.pendingAges.count();
  }

  async close(): Promise<void> {
    this.inbox.close();
    await this.queues.close().catch(() => {});
    await this.connection.close();
  }
}

function secretsOf({ secret, previousSecrets = [] }: StoreOptions): Secrets {
  return [secret, ...previousSecrets];
}
