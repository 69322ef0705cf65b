import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';
import { replicationBarrierKey } from '../records/keys.ts';
import { defineScript } from '../scripts/script.ts';
import { type CompiledScript, settleCall, encodeBatch, type ScriptCall } from '../scripts/script-batch.ts';
import { NotSentError, toUnavailable } from './redis-errors.ts';

/**
 * What must have a write before it is acknowledged, and how long that is waited for: so many replicas, and with `fsync` the
 * append-only file on the disk of the master and of those replicas.
 */
export interface Replication {
  readonly replicas: number;
  readonly waitMs: number;
  readonly fsync: boolean;
}

export const NO_REPLICATION: Replication = { replicas: 0, waitMs: 0, fsync: false };

/** At most so many writes share one WAIT: their replies wait for each other. */
const MAX_GROUP = 256;

const REPLICATION_BARRIER = defineScript('replication/replication_barrier', ['mark'], []);

/** A command as it is sent. */
type Command = readonly [name: string, ...args: (string | number)[]];

/**
 * One write, from the call until its caller has a result.
 * A write that times out while `queued` is never sent and changed nothing; once it is `sent` its outcome is unknown.
 */
interface PendingWrite {
  command: Command;
  /** For an EVALSHA, the same call as EVAL: sent when the server does not know the script. */
  withSource: Command | undefined;
  /** The key that is written before WAIT, in the slot of the write. */
  readonly barrierKey: string;
  phase: 'queued' | 'sent' | 'settled';
  readonly settle: (error: unknown, reply?: unknown) => void;
}

/**
 * Writes that are acknowledged once replicas of Redis, or disks, have them: a failover loses what only the master has, and
 * the loss of power what only memory has. WAIT stands for WAITAOF too.
 *
 * 1. WAIT follows its writes on the same connection, in one pipeline: a new connection may lead to a new master, which
 *    never received them, and would confirm.
 * 2. WAIT blocks the commands behind it, so the writer has a connection of its own, and writes that come while a WAIT
 *    runs are sent together with the next one.
 * 3. A shortfall is `unavailable`: whether the write stays is not known, and repeating it is safe.
 * 4. A caller has a result within `limitMs` of its call, however many writes are queued before it.
 */
export class ReplicatedWriter {
  private readonly connect: () => Redis | Cluster;
  private readonly replication: Replication;
  private readonly limitMs: number;
  private readonly queues = new Map<Redis, NodeQueue>();
  private readonly slots = new Map<string, number>();
  private client: Redis | Cluster;

  constructor(connect: () => Redis | Cluster, replication: Replication, limitMs: number) {
    this.connect = connect;
    this.replication = replication;
    this.limitMs = limitMs;
    this.client = connect();
  }

  async evaluate(
    script: CompiledScript,
    keys: ScriptCall['keys'],
    args: ScriptCall['args'],
  ): Promise<unknown[]> {
    const encoded = encodeBatch(script, [{ keys, args }]);
    const withSource: Command = ['EVAL', ...encoded.with(0, script.source)];
    const reply = (await this.send(['EVALSHA', ...encoded], keys[0] ?? '', withSource)) as unknown[];
    if (!script.batched) return reply;
    return new Promise((resolve, reject) => settleCall(reply, 0, { resolve, reject }));
  }

  /** A plain command whose first argument is its only key. */
  async command(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    return this.send([name, key, ...args], key);
  }

  close(): void {
    this.client.disconnect();
  }

  private async send(command: Command, key: string, withSource?: Command): Promise<unknown> {
    const barrierKey = replicationBarrierKey(key);
    try {
      return await new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const late = `${this.limitMs} ms`;
          const sent = write.phase === 'sent';
          write.settle(sent ? new Error(`no reply in ${late}`) : new NotSentError(`${late} without a turn`));
        }, this.limitMs);
        const settle: PendingWrite['settle'] = (error, reply) => {
          clearTimeout(timer);
          write.phase = 'settled';
          if (error) reject(error);
          else resolve(reply);
        };
        const write: PendingWrite = { command, withSource, barrierKey, phase: 'queued', settle };
        void this.nodeOf(barrierKey)
          .then((node) => this.queueOf(node).push(write))
          .catch(settle);
      });
    } catch (error) {
      // A slot may have moved to another node: the next call finds it.
      if (this.client instanceof Cluster && !(error instanceof BatonError)) this.client.refreshSlotsCache();
      throw toUnavailable(error);
    }
  }

  private queueOf(node: Redis): NodeQueue {
    const known = this.queues.get(node);
    if (known !== undefined) return known;
    for (const other of this.queues.keys()) if (other.status === 'end') this.queues.delete(other);
    const queue = new NodeQueue(node, this.replication, () => this.reconnect());
    this.queues.set(node, queue);
    return queue;
  }

  /** A connection that sent half a group would give each later reply to the wrong command. */
  private reconnect(): void {
    this.client.disconnect();
    this.client = this.connect();
    this.queues.clear();
  }

  private async nodeOf(key: string): Promise<Redis> {
    if (!(this.client instanceof Cluster)) return this.client;
    const slot = this.slots.get(key) ?? Number(await this.client.cluster('KEYSLOT', key));
    this.slots.set(key, slot);
    const address = this.client.slots[slot]?.[0];
    const node = this.client
      .nodes('master')
      .find(({ options }) => `${options.host}:${options.port}` === address);
    if (node === undefined) throw new Error(`no node of the cluster serves slot ${slot}`);
    return node;
  }
}

/** The replicated writes to one node: sent in groups, one after the other, each with one WAIT or WAITAOF. */
class NodeQueue {
  private readonly node: Redis;
  private readonly replication: Replication;
  private readonly onBroken: () => void;
  private queued: PendingWrite[] = [];
  private flushing = false;

  /** `onBroken` is called when a group could not be sent as a whole: the connection may not be used any more. */
  constructor(node: Redis, replication: Replication, onBroken: () => void) {
    this.node = node;
    this.replication = replication;
    this.onBroken = onBroken;
  }

  push(write: PendingWrite): void {
    this.queued.push(write);
    if (this.flushing) return;
    this.flushing = true;
    // Writes of one turn of the event loop are one group.
    setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    while (this.queued.length > 0) {
      // What has timed out leaves unsent.
      const waiting = this.queued.filter(({ phase }) => phase === 'queued');
      const group = waiting.slice(0, MAX_GROUP);
      this.queued = waiting.slice(MAX_GROUP);
      try {
        if (group.length > 0) await this.sendGroup(group);
      } catch (error) {
        this.onBroken();
        for (const write of group) write.settle(error);
      }
    }
    this.flushing = false;
  }

  private async sendGroup(group: readonly PendingWrite[]): Promise<void> {
    const { replicas, waitMs, fsync } = this.replication;
    for (const write of group) write.phase = 'sent';
    const barrierKeys = [...new Set(group.map(({ barrierKey }) => barrierKey))];
    const pipeline = this.node.pipeline([
      ...group.map(({ command }) => ['call', ...command]),
      ...barrierKeys.map((key) => ['call', 'EVAL', REPLICATION_BARRIER.source, 1, key]),
      fsync ? ['call', 'WAITAOF', 1, replicas, waitMs] : ['call', 'WAIT', replicas, waitMs],
    ]);
    const replies = (await pipeline.exec().catch(() => null)) ?? [];
    const shortfall = this.shortfallOf(replies.slice(group.length));
    const retries: PendingWrite[] = [];
    for (const [index, write] of group.entries()) {
      const [error, reply] = replies[index] ?? [new Error('the connection was lost'), undefined];
      const { withSource } = write;
      if (error?.message.startsWith('NOSCRIPT') && withSource !== undefined && write.phase === 'sent') {
        Object.assign(write, { command: withSource, withSource: undefined, phase: 'queued' });
        retries.push(write);
      } else {
        write.settle(error ?? shortfall, reply);
      }
    }
    this.queued = [...retries, ...this.queued];
  }

  /** The error of the whole group when a barrier failed, or too few replicas or too few disks have it. */
  private shortfallOf(replies: readonly [Error | null, unknown][]): BatonError | undefined {
    const failed = replies.find(([error]) => error !== null);
    const { replicas, waitMs, fsync } = this.replication;
    const confirmed = [replies.at(-1)?.[1] ?? 0].flat().map(Number);
    const [local, copies] = fsync ? confirmed : [1, confirmed[0]];
    if (!failed && (local ?? 0) >= 1 && (copies ?? 0) >= replicas) return undefined;
    const reason =
      local === 0 ? "Redis's disk did not confirm" : `${copies} of ${replicas} replicas of Redis confirmed`;
    const what = failed
      ? `Redis could not confirm this (${failed[0]?.message})`
      : `${reason} this within ${waitMs} ms`;
    return new BatonError('unavailable', `${what}. Whether it was taken is not known; repeat the call.`);
  }
}
