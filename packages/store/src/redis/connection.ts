import { BatonError, maskUrlPasswords } from '@baton/protocol';
import type { Cluster, Redis } from 'ioredis';
import type { ScriptCall } from '../scripts/script-batch.ts';
import type { ScriptRunner } from '../scripts/script.ts';
import { ScriptBatcher } from '../scripts/script-batcher.ts';
import { MemoryReserve, type RedisMemory } from './memory-reserve.ts';
import { PubSub } from './pub-sub.ts';
import {
  COMMAND_TIMEOUT,
  connectFailFast,
  connectRetryForever,
  connectSubscriber,
  mastersOf,
  pingMasters,
} from './redis-client.ts';
import { EvictionPolicyError, toUnavailable, WritesRefusedError } from './redis-errors.ts';
import { parseSentinelUrl } from './redis-url.ts';
import { RedisClock } from './redis-clock.ts';
import { requireFsync } from './fsync-support.ts';
import { NO_REPLICATION, ReplicatedWriter, type Replication } from './replicated-writer.ts';

/**
 * A connection to one Redis, Valkey or cluster, by URL: `redis://`, `rediss://` (TLS), `unix:///path`,
 * `redis+cluster://host:port,host:port`, `redis+sentinel://host:port,host:port/<master>`, and with `rediss` those two too.
 *
 * A call that Redis does not serve fails with `unavailable` within COMMAND_TIMEOUT, and may be repeated.
 */
export class Connection {
  readonly client: Redis | Cluster;
  readonly pubSub: PubSub;
  readonly clock: RedisClock;
  /** Called with the name of each script that has run and its milliseconds, what it waited for its batch included. */
  onScript: ((name: string, ms: number) => void) | undefined;
  private readonly url: string;
  private readonly batcher: ScriptBatcher;
  private readonly memoryReserve: MemoryReserve;
  private readonly replicatedWriter: ReplicatedWriter | undefined;

  private constructor(url: string, replication: Replication) {
    this.url = url;
    this.client = connectFailFast(url);
    this.pubSub = new PubSub(() => connectSubscriber(url), COMMAND_TIMEOUT);
    this.batcher = new ScriptBatcher(this.client);
    this.memoryReserve = new MemoryReserve(this.client);
    this.clock = new RedisClock(this.client);
    this.replicatedWriter =
      replication.replicas === 0 && !replication.fsync
        ? undefined
        : new ReplicatedWriter(() => connectFailFast(url), replication, COMMAND_TIMEOUT);
  }

  /**
   * Connects, and refuses a server that may evict keys. With `replication`, writes and scripts that are marked
   * `replicated` are acknowledged once the replicas, or the disks, have them. Errors: `unavailable`.
   */
  static async open(url: string, replication = NO_REPLICATION): Promise<Connection> {
    const connection = new Connection(url, replication);
    try {
      await connection.whenReady();
      await connection.checkEvictionPolicy();
      if (replication.fsync)
        await connection.command((client) => requireFsync(client, maskUrlPasswords(url)));
      await connection.command(() =>
        Promise.all([connection.memoryReserve.refresh(), connection.clock.refresh()]),
      );
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  /** Another client of the same Redis, for BullMQ's workers: its commands wait for Redis as long as it takes. */
  duplicateForWorker(): Redis | Cluster {
    return connectRetryForever(this.url);
  }

  /** Calls back when Redis was lost, and another server may answer next, which may lack the last writes. */
  onLost(lost: () => void): void {
    for (const event of ['close', '-node']) this.client.on(event, lost);
  }

  /** Runs a script, in a batch with others where it may be. Errors: `unavailable`. */
  async evaluate(
    script: Parameters<ScriptRunner['evaluate']>[0],
    keys: ScriptCall['keys'],
    args: ScriptCall['args'],
  ): Promise<unknown[]> {
    if (script.incoming) this.memoryReserve.refuse(script.incoming);
    const beganAt = performance.now();
    try {
      if (script.replicated && this.replicatedWriter !== undefined)
        return await this.replicatedWriter.evaluate(script, keys, args);
      return await this.batcher.run(script, keys, args);
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      this.onScript?.(script.name, performance.now() - beganAt);
    }
  }

  /** Runs plain commands; failures become the same errors. */
  async command<T>(call: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    try {
      return await call(this.client);
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  /** Writes to one key by a plain command, and waits for the replicas where there are any to wait for. */
  async write(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    if (this.replicatedWriter !== undefined) return this.replicatedWriter.command(name, key, ...args);
    return this.command((client) => client.call(name, key, ...args));
  }

  /** True when a failover, or the loss of power, may undo what was published: it is then to be confirmed by a replicated read. */
  get waitsForReplicas(): boolean {
    return this.replicatedWriter !== undefined;
  }

  /** How full Redis is, and whether it can be used, as of a second ago. */
  get memory(): RedisMemory {
    return this.memoryReserve.state;
  }

  async close(): Promise<void> {
    this.memoryReserve.close();
    this.clock.close();
    this.replicatedWriter?.close();
    this.pubSub.close();
    this.client.disconnect();
  }

  private async whenReady(): Promise<void> {
    if (this.client.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      let lastError = 'it did not answer in time';
      let isTold = false;
      const rememberError = (error: Error) => {
        lastError = error.message || error.name;
        isTold = true;
      };
      // Why it refuses is a reply to no command, which the client does not tell; a wrong password it does.
      const rememberRefusal = () => {
        if (isTold) return;
        lastError =
          'it closes each connection at once, as in protected mode (it needs a password then, or protected-mode no) or beyond maxclients';
      };
      const onConnect = () => {
        isTold = false;
        this.client.once('close', rememberRefusal);
      };
      const timer = setTimeout(() => reject(unreachable(this.url, lastError)), COMMAND_TIMEOUT);
      this.client.on('error', rememberError).on('connect', onConnect);
      this.client.once('ready', () => {
        clearTimeout(timer);
        this.client.off('error', rememberError).off('connect', onConnect).off('close', rememberRefusal);
        resolve();
      });
    });
  }

  /**
   * Errors: `unavailable` when a server does not answer, EvictionPolicyError when one may evict parked work, WritesRefusedError when one takes
   * no writes.
   */
  async ping(): Promise<void> {
    const pinged = this.command((client) =>
      pingMasters(client).catch((error: unknown) => {
        throw WritesRefusedError.from(error, maskUrlPasswords(this.url)) ?? error;
      }),
    );
    await Promise.all([this.checkEvictionPolicy(), pinged]);
  }

  /** Errors: EvictionPolicyError when a server may evict parked work. */
  private async checkEvictionPolicy(): Promise<void> {
    const infos = await this.command((client) =>
      Promise.all(mastersOf(client).map((node) => node.info('memory'))),
    );
    for (const info of infos) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
      if (policy === undefined || policy === 'noeviction') continue;
      throw new EvictionPolicyError(maskUrlPasswords(this.url), policy);
    }
  }
}

function unreachable(url: string, error: string): BatonError {
  // The client calls Sentinels that know no such master unreachable.
  const master = error.includes('No such master') ? parseSentinelUrl(url)?.name : undefined;
  const reason = master === undefined ? error : `no Sentinel knows the master '${master}'`;
  return new BatonError('unavailable', `Redis at ${maskUrlPasswords(url)} cannot be used: ${reason}`);
}
