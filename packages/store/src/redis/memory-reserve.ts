import { BatonError } from '@baton/protocol';
import type { Cluster, Redis } from 'ioredis';
import type { Incoming } from '../scripts/script-batch.ts';
import { mastersOf, pingMasters } from './redis-client.ts';

/**
 * The shares of Redis's memory that are kept: new work leaves the first free for answers, answers leave the second free for
 * segments and BullMQ's jobs, which a full Redis would not take.
 */
const RESERVES: Readonly<Record<Incoming, number>> = { new: 0.1, answer: 0.03 };

/** How often Redis is asked; more often once less than NEAR of its memory is left, so that a second of writes cannot pass the floor. */
const REFRESH_INTERVAL_MS = 1_000;
const NEAR_INTERVAL_MS = 100;
const NEAR = 0.4;

/** How Redis stood when it was last asked. */
export interface RedisMemory {
  /** False when a server gave no answer, or takes no writes. */
  readonly usable: boolean;
  /** The share of its memory that the fullest server uses; 0 of servers without a limit. */
  readonly usedShare: number;
  /** What is refused for want of memory, in words; undefined where nothing is. */
  readonly refuses: string | undefined;
}

/** Watches how full Redis is, and refuses what comes in while only the reserve is left. */
export class MemoryReserve {
  private readonly client: Redis | Cluster;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  /** The share of its memory that the fullest server has free. */
  private free = 1;
  private usable = true;

  constructor(client: Redis | Cluster) {
    this.client = client;
    this.schedule();
  }

  get state(): RedisMemory {
    const { free, usable } = this;
    const left = [
      ...(free <= RESERVES.new ? ['new calls'] : []),
      ...(free <= RESERVES.answer ? ['answers'] : []),
    ];
    return { usable, usedShare: 1 - free, refuses: left.length === 0 ? undefined : left.join(' and ') };
  }

  /** Errors: `unavailable`, with nothing sent. */
  refuse(incoming: Incoming): void {
    if (this.free > RESERVES[incoming]) return;
    throw new BatonError(
      'unavailable',
      'Redis cannot take this now (its memory is full but for what accepted work needs). Nothing was changed and nothing is lost; repeat the call.',
      { taken: false },
    );
  }

  /** Reads each server's used_memory and maxmemory; a server without a limit is never low. */
  async refresh(): Promise<void> {
    const infos = await Promise.all(mastersOf(this.client).map((server) => server.info('memory')));
    const free = infos.map((info) => {
      const [used, most] = [infoNumber(info, 'used_memory'), infoNumber(info, 'maxmemory')];
      return most > 0 ? 1 - used / most : 1;
    });
    this.free = Math.min(...free);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.closed) return;
    const interval = this.free < NEAR ? NEAR_INTERVAL_MS : REFRESH_INTERVAL_MS;
    this.timer = setTimeout(() => {
      void this.refresh()
        .then(() => pingMasters(this.client))
        .then(
          () => (this.usable = true),
          () => (this.usable = false),
        )
        .then(() => this.schedule());
    }, interval).unref();
  }
}

function infoNumber(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
