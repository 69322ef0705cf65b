import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';
import { replicationBarrierKey } from '../records/keys.ts';
import { NodeWriteQueue } from './node-write-queue.ts';
import { type WriteRequest, ReplicatedWrite } from './replicated-write.ts';
import { encodeBatch, type ScriptCall, type CompiledScript, decodeBatch } from '../scripts/script-batch.ts';
import { toUnavailable } from './redis-errors.ts';

/** How many replicas of Redis are to have a write before it is acknowledged, and for how long that is waited for. */
export interface Replication {
  readonly replicas: number;
  readonly waitMs: number;
}

/**
 * Writes that are acknowledged when replicas have them: what only a master knows is lost when another takes its place.
 *
 * 1. WAIT follows its writes on the same connection, in one pipeline: a new connection may lead to a new master, which
 *    never heard of them, and would confirm.
 * 2. It blocks what stands behind it, so this has a connection of its own, and what comes while one WAIT is under way
 *    leaves together with the next.
 * 3. A shortfall is `unavailable`: whether the write stays is not known, and repeating it is safe.
 * 4. A caller hears within `limitMs` of asking, however much stands before it.
 */
export class ReplicatedWriter {
  private readonly connect: () => Redis | Cluster;
  private readonly replication: Replication;
  private readonly limitMs: number;
  private readonly queues = new Map<Redis, NodeWriteQueue>();
  private readonly slots = new Map<string, number>();
  private client: Redis | Cluster;

  constructor(connect: () => Redis | Cluster, replication: Replication, limitMs: number) {
    this.connect = connect;
    this.replication = replication;
    this.limitMs = limitMs;
    this.client = connect();
  }

  async evaluate(script: CompiledScript, keys: ScriptCall['keys'], args: ScriptCall['args']): Promise<unknown[]> {
    const framed = encodeBatch(script, [{ keys, args }]);
    const reply = (await this.send({
      command: ['EVALSHA', ...framed],
      withSource: ['EVAL', ...framed.with(0, script.source)],
      barrierKey: replicationBarrierKey(keys[0] ?? ''),
    })) as unknown[];
    if (!script.batched) return reply;
    return new Promise((resolve, reject) => decodeBatch(reply, 0, { resolve, reject }));
  }

  /** A plain command whose first argument is its only key. */
  async command(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    return this.send({ command: [name, key, ...args], barrierKey: replicationBarrierKey(key) });
  }

  close(): void {
    this.client.disconnect();
  }

  private async send(asked: WriteRequest): Promise<unknown> {
    try {
      return await new Promise((resolve, reject) => {
        void this.enqueue(new ReplicatedWrite(asked, this.limitMs, { resolve, reject }));
      });
    } catch (error) {
      // Where the slot has moved, the next call goes where it is now.
      if (this.client instanceof Cluster && !(error instanceof BatonError)) this.client.refreshSlotsCache();
      throw toUnavailable(error);
    }
  }

  private async enqueue(write: ReplicatedWrite): Promise<void> {
    try {
      this.queueOf(await this.nodeOf(write.barrierKey)).push(write);
    } catch (error) {
      write.reject(error);
    }
  }

  private queueOf(node: Redis): NodeWriteQueue {
    const known = this.queues.get(node);
    if (known !== undefined) return known;
    for (const other of this.queues.keys()) if (other.status === 'end') this.queues.delete(other);
    const lane = new NodeWriteQueue(node, this.replication, () => this.reconnect());
    this.queues.set(node, lane);
    return lane;
  }

  /** Half a group in a connection's queue would have it take each later reply for another command's. */
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
