import { BatonError } from '@baton/protocol';
import type { Redis } from 'ioredis';
import type { Replication } from '../replicated.ts';
import type { Command, Write } from '../replicated-write.ts';
import { defineScript } from '../scripts/script.ts';

/** How many writes share one WAIT at most: their replies wait for each other. */
const MOST = 256;

interface Group {
  readonly writes: readonly Write[];
  readonly commands: readonly Command[];
}

/** What leaves on one connection: one group after the other. */
export class NodeWriteQueue {
  private readonly node: Redis;
  private readonly replication: Replication;
  private readonly broken: () => void;
  private waiting: Write[] = [];
  private leaving = false;

  /** `broken` is told when a group could not be sent as a whole: nothing may use the connection any more. */
  constructor(node: Redis, replication: Replication, broken: () => void) {
    this.node = node;
    this.replication = replication;
    this.broken = broken;
  }

  push(write: Write): void {
    this.waiting.push(write);
    if (this.leaving) return;
    this.leaving = true;
    // What comes in the same turn of the event loop leaves together.
    setImmediate(() => void this.leave());
  }

  private async leave(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.nextGroup();
      try {
        if (group.writes.length > 0) await this.exchange(group);
      } catch (error) {
        this.broken();
        for (const write of group.writes) write.refuse(error);
      }
    }
    this.leaving = false;
  }

  private nextGroup(): Group {
    const writes: Write[] = [];
    const commands: Command[] = [];
    let at = 0;
    while (at < this.waiting.length && writes.length < MOST) {
      const write = this.waiting[at++];
      const command = write?.leave();
      if (write === undefined || command === undefined) continue;
      writes.push(write);
      commands.push(command);
    }
    this.waiting = this.waiting.slice(at);
    return { writes, commands };
  }

  private async exchange({ writes, commands }: Group): Promise<void> {
    const { replicas, waitMs } = this.replication;
    const marks = [...new Set(writes.map(({ markKey }) => markKey))];
    const pipeline = this.node.pipeline([
      ...commands.map((command) => ['call', ...command]),
      ...marks.map((key) => ['call', 'EVAL', REPLICATION_BARRIER.source, 1, key]),
      ['call', 'WAIT', replicas, waitMs],
    ]);
    const replies = (await pipeline.exec().catch(() => null)) ?? [];
    const unsure = this.unsure(replies.slice(writes.length));
    const again: Write[] = [];
    for (const [index, write] of writes.entries()) {
      const [error, reply] = replies[index] ?? [new Error('the connection was lost'), undefined];
      if (error !== null && write.comesBack(error)) again.push(write);
      else if (error ?? unsure) write.refuse(error ?? unsure);
      else write.confirm(reply);
    }
    this.waiting = [...again, ...this.waiting];
  }

  /** Why the replies of MARKs and of WAIT do not say that the replicas have it all, if they do not. */
  private unsure(replies: readonly [Error | null, unknown][]): BatonError | undefined {
    const failed = replies.find(([error]) => error !== null);
    const { replicas, waitMs } = this.replication;
    const confirmed = Number(replies.at(-1)?.[1] ?? 0);
    if (!failed && confirmed >= replicas) return undefined;
    const what = failed
      ? `Redis could not confirm this (${failed[0]?.message})`
      : `${confirmed} of ${replicas} replicas of Redis confirmed this within ${waitMs} ms`;
    return new BatonError('unavailable', `${what}. Whether it was taken is not known; repeat the call.`);
  }
}

const REPLICATION_BARRIER = defineScript('replication/replication_barrier', ['mark'], []);
