import { BatonError } from '@baton/protocol';
import type { Redis } from 'ioredis';
import type { Command, ReplicatedWrite, Replication } from './replicated-write.ts';
import { defineScript } from '../scripts/script.ts';

/** At most so many writes share one WAIT: their replies wait for each other. */
const MAX_GROUP = 256;

interface WriteGroup {
  readonly writes: readonly ReplicatedWrite[];
  readonly commands: readonly Command[];
}

/** The replicated writes to one node: sent in groups, one after the other, each with one WAIT or WAITAOF. */
export class ReplicatedWriteQueue {
  private readonly node: Redis;
  private readonly replication: Replication;
  private readonly onBroken: () => void;
  private queued: ReplicatedWrite[] = [];
  private flushing = false;

  /** `onBroken` is called when a group could not be sent as a whole: the connection may not be used any more. */
  constructor(node: Redis, replication: Replication, onBroken: () => void) {
    this.node = node;
    this.replication = replication;
    this.onBroken = onBroken;
  }

  push(write: ReplicatedWrite): void {
    this.queued.push(write);
    if (this.flushing) return;
    this.flushing = true;
    // Writes of one turn of the event loop are one group.
    setImmediate(() => void this.flush());
  }

  private async flush(): Promise<void> {
    while (this.queued.length > 0) {
      const group = this.nextGroup();
      try {
        if (group.writes.length > 0) await this.sendGroup(group);
      } catch (error) {
        this.onBroken();
        for (const write of group.writes) write.reject(error);
      }
    }
    this.flushing = false;
  }

  private nextGroup(): WriteGroup {
    const writes: ReplicatedWrite[] = [];
    const commands: Command[] = [];
    let at = 0;
    while (at < this.queued.length && writes.length < MAX_GROUP) {
      const write = this.queued[at++];
      const command = write?.takeCommand();
      if (write === undefined || command === undefined) continue;
      writes.push(write);
      commands.push(command);
    }
    this.queued = this.queued.slice(at);
    return { writes, commands };
  }

  private async sendGroup({ writes, commands }: WriteGroup): Promise<void> {
    const { replicas, waitMs, fsync } = this.replication;
    const barrierKeys = [...new Set(writes.map(({ barrierKey }) => barrierKey))];
    const pipeline = this.node.pipeline([
      ...commands.map((command) => ['call', ...command]),
      ...barrierKeys.map((key) => ['call', 'EVAL', REPLICATION_BARRIER.source, 1, key]),
      fsync ? ['call', 'WAITAOF', 1, replicas, waitMs] : ['call', 'WAIT', replicas, waitMs],
    ]);
    const replies = (await pipeline.exec().catch(() => null)) ?? [];
    const shortfall = this.shortfallOf(replies.slice(writes.length));
    const retries: ReplicatedWrite[] = [];
    for (const [index, write] of writes.entries()) {
      const [error, reply] = replies[index] ?? [new Error('the connection was lost'), undefined];
      if (error !== null && write.retryWithSource(error)) retries.push(write);
      else if (error ?? shortfall) write.reject(error ?? shortfall);
      else write.resolve(reply);
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

const REPLICATION_BARRIER = defineScript('replication/replication_barrier', ['mark'], []);
