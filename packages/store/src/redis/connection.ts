import { BatonError } from '@baton/protocol';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { PubSub } from './pub-sub.ts';
import { MemoryReserve } from './memory-reserve.ts';
import { ScriptBatcher } from '../scripts/script-batcher.ts';
import { parseClusterUrl, isClusterUrl, parseSentinelUrl, redactPassword } from './redis-url.ts';
import { ReplicatedWriter, type Replication } from './replicated-writer.ts';
import type { ScriptCall, CompiledScript } from '../scripts/script-batch.ts';
import { toUnavailable, EvictionPolicyError } from './redis-errors.ts';

/**
 * A connection to one Redis, Valkey or cluster, by URL: `redis://`, `rediss://` (TLS), `unix:///path`,
 * `redis+cluster://host:port,host:port`, `redis+sentinel://host:port,host:port/<master>`, and with `rediss` those two too.
 *
 * What Redis cannot do now is `unavailable`: the caller hears of it within `COMMAND_TIMEOUT`, and may repeat.
 */
export const COMMAND_TIMEOUT = 5_000;

export class Connection {
  readonly client: Redis | Cluster;
  readonly pubSub: PubSub;
  private readonly url: string;
  private readonly batcher: ScriptBatcher;
  private readonly memoryReserve: MemoryReserve;
  private readonly replicatedWriter: ReplicatedWriter | undefined;

  private constructor(url: string, replication: Replication) {
    this.url = url;
    this.client = connect(url, FAIL_FAST);
    this.pubSub = new PubSub(() => this.connectSubscriber(), COMMAND_TIMEOUT);
    this.batcher = new ScriptBatcher(this.client);
    this.memoryReserve = new MemoryReserve(this.client);
    this.replicatedWriter =
      replication.replicas === 0
        ? undefined
        : new ReplicatedWriter(() => connect(url, FAIL_FAST), replication, COMMAND_TIMEOUT);
  }

  /**
   * Connects, and refuses a server that Baton would lose work on. With replicas of Redis to wait for, what is marked
   * `replicated` is acknowledged when they have it. Errors: `unavailable`.
   */
  static async open(url: string, replication: Replication = { replicas: 0, waitMs: 0 }): Promise<Connection> {
    const connection = new Connection(url, replication);
    try {
      await connection.whenReady();
      await connection.checkEvictionPolicy();
      await connection.command(() => connection.memoryReserve.refresh());
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  /** Another connection to the same place that waits as long as it takes: for BullMQ's workers. */
  duplicateForWorker(): Redis | Cluster {
    return connect(this.url, RETRY_FOREVER);
  }

  /**
   * A connection for subscribing, to any one node: a cluster carries what is published to all. `ready` tells of each
   * reconnection, which ioredis's Cluster keeps to itself for the connection that it subscribes with.
   */
  private connectSubscriber(): Redis {
    if (!(this.client instanceof Cluster)) return connect(this.url, RETRY_FOREVER) as Redis;
    const { nodes, own } = parseClusterUrl(this.url);
    let tried = 0;
    const client = new Redis({
      ...RETRY_FOREVER,
      ...own,
      ...nodes[0],
      retryStrategy: (times) => {
        Object.assign(client.options, nodes[++tried % nodes.length]);
        return RETRY_FOREVER.retryStrategy(times);
      },
    });
    client.on('error', () => {});
    return client;
  }

  /** Runs a script, in whatever company. Errors: `unavailable`. */
  async evaluate(
    script: CompiledScript & { readonly replicated: boolean; readonly incoming: boolean },
    keys: ScriptCall['keys'],
    args: ScriptCall['args'],
  ): Promise<unknown[]> {
    if (script.incoming) this.memoryReserve.refuseIncoming();
    try {
      if (script.replicated && this.replicatedWriter !== undefined)
        return await this.replicatedWriter.evaluate(script, keys, args);
      return await this.batcher.run(script, keys, args);
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  /** Runs plain commands under the same translation of failures. */
  async command<T>(call: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    try {
      return await call(this.client);
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  /** A plain write to one key, replicated where that is asked for. */
  async write(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.replicatedWriter !== undefined) return this.replicatedWriter.command(name, key, ...args);
    return this.command((client) => client.call(name, key, ...args));
  }

  /** True when what others publish may be lost again, and is to be read as it stands with the replicas. */
  get waitsForReplicas(): boolean {
    return this.replicatedWriter !== undefined;
  }

  async close(): Promise<void> {
    this.memoryReserve.close();
    this.replicatedWriter?.close();
    this.pubSub.close();
    this.client.disconnect();
  }

  private async whenReady(): Promise<void> {
    if (this.client.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      let last = 'it did not answer in time';
      const noted = (error: Error) => {
        last = error.message || error.name;
      };
      const timer = setTimeout(() => reject(unreachable(this.url, last)), COMMAND_TIMEOUT);
      this.client.on('error', noted);
      this.client.once('ready', () => {
        clearTimeout(timer);
        this.client.off('error', noted);
        resolve();
      });
    });
  }

  /** Errors: UnsafeRedis when a server would evict what is parked. */
  async checkEvictionPolicy(): Promise<void> {
    const infos = await this.command((client) =>
      Promise.all(
        (client instanceof Cluster ? client.nodes('master') : [client]).map((node) => node.info('memory')),
      ),
    );
    for (const info of infos) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
      if (policy === undefined || policy === 'noeviction') continue;
      throw new EvictionPolicyError(redactPassword(this.url), policy);
    }
  }
}

const RECONNECT = {
  retryStrategy: (times: number) => Math.min(1_000, 50 * times),
  // A master that was made a replica stays connected: whoever still writes to it looks for the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** A caller hears "unavailable" now rather than an answer in a minute; the client goes on reconnecting behind it. */
const FAIL_FAST = {
  ...RECONNECT,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: COMMAND_TIMEOUT,
} satisfies RedisOptions;

const RETRY_FOREVER = { ...RECONNECT, enableOfflineQueue: true, maxRetriesPerRequest: null } satisfies RedisOptions;

function connect(url: string, options: typeof FAIL_FAST | typeof RETRY_FOREVER): Redis | Cluster {
  const client = connectTo(url, options);
  // Each command carries its own failure to its caller; without a listener ioredis prints every reconnection.
  client.on('error', () => {});
  return client;
}

function connectTo(url: string, options: typeof FAIL_FAST | typeof RETRY_FOREVER): Redis | Cluster {
  if (isClusterUrl(url)) {
    const { nodes, own } = parseClusterUrl(url);
    const { retryStrategy, enableOfflineQueue, ...forNodes } = options;
    return new Cluster(nodes, {
      redisOptions: { ...forNodes, ...own },
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
    });
  }
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined) return new Redis({ ...sentinel, ...options });
  if (url.startsWith('unix://')) return new Redis(decodeURIComponent(url.slice('unix://'.length)), options);
  return new Redis(url, options);
}

function unreachable(url: string, reason: string): BatonError {
  return new BatonError('unavailable', `Redis at ${redactPassword(url)} cannot be used: ${reason}`);
}
