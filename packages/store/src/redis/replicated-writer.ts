import { BatonError } from '@baton/protocol';
import { Cluster, type Redis } from 'ioredis';
import { replicationBarrierKey } from '../records/keys.ts';
import { ReplicatedWriteQueue } from './replicated-write-queue.ts';
import { ReplicatedWrite, type Replication, type WriteRequest } from './replicated-write.ts';
import { type CompiledScript, settleCall, encodeBatch, type ScriptCall } from '../scripts/script-batch.ts';
import { toUnavailable } from './redis-errors.ts';

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
  private readonly queues = new Map<Redis, ReplicatedWriteQueue>();
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
    const reply = (await this.send({
      command: ['EVALSHA', ...encoded],
      withSource: ['EVAL', ...encoded.with(0, script.source)],
      barrierKey: replicationBarrierKey(keys[0] ?? ''),
    })) as unknown[];
    if (!script.batched) return reply;
    return new Promise((resolve, reject) => settleCall(reply, 0, { resolve, reject }));
  }

  /** A plain command whose first argument is its only key. */
  async command(name: string, key: string, ...args: (string | number)[]): Promise<unknown> {
    return this.send({ command: [name, key, ...args], barrierKey: replicationBarrierKey(key) });
  }

  close(): void {
    this.client.disconnect();
  }

  private async send(request: WriteRequest): Promise<unknown> {
    try {
      return await new Promise((resolve, reject) => {
        void this.enqueue(new ReplicatedWrite(request, this.limitMs, { resolve, reject }));
      });
    } catch (error) {
      // A slot may have moved to another node: the next call finds it.
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

  private queueOf(node: Redis): ReplicatedWriteQueue {
    const known = this.queues.get(node);
    if (known !== undefined) return known;
    for (const other of this.queues.keys()) if (other.status === 'end') this.queues.delete(other);
    const queue = new ReplicatedWriteQueue(node, this.replication, () => this.reconnect());
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
