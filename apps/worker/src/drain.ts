import { type AnswerCheck, type Programs, resumeTask, type SegmentEnd } from '@baton/runner';
import { HOLD_AFTER } from '@baton/store';
import type { Segment, Shard } from '@baton/store/shards';
import type { Logger } from 'pino';

/** How many tasks one lease takes: enough to share its cost, few enough that another worker finds some too. */
const BATCH = 8;

/**
 * How many segments a worker runs side by side: while some wait for Redis or for a check, others go on. What joins the
 * ready set stands behind these, whoever's turn it is: with 64 a tenant's trickle waited half as long again beside
 * another's backlog, and nothing went faster.
 */
const AT_ONCE = 16;

export interface Resuming {
  readonly programs: Programs;
  readonly check: AnswerCheck;
  readonly log: Logger;
  readonly ended: (end: SegmentEnd | 'error') => void;
}

/**
 * Takes what is ready and resumes it. It goes on as soon as nothing is left to take, while segments may still run, so
 * that a slow one holds up nobody. Leases watch over the work, not the job that called for it.
 */
export class Drain {
  private readonly resuming: Resuming;
  private readonly running = new Set<Promise<void>>();
  private readonly handed = new Set<Promise<void>>();
  private readonly alone = new Set<Shard>();
  private stopping = false;
  private taking = 0;
  private takes: Promise<unknown> = Promise.resolve();

  constructor(resuming: Resuming) {
    this.resuming = resuming;
  }

  /** Takes from a shard until nothing is ready. What joins an empty ready set meanwhile rings, or brings a job. */
  async shard(shard: Shard): Promise<void> {
    let left = 1;
    while (left > 0 && !this.stopping) {
      while (this.running.size + this.taking >= AT_ONCE) await this.place();
      if (this.stopping) return;
      const most = Math.min(BATCH, AT_ONCE - this.running.size - this.taking);
      left = await this.take(shard, most);
    }
  }

  /** Takes from a shard that BullMQ cannot call anyone to; once at a time, and nobody waits for it. */
  unbidden(shard: Shard): void {
    if (this.alone.has(shard)) return;
    this.alone.add(shard);
    const over = () => this.alone.delete(shard);
    // What it does not get to stays ready, and is found again.
    this.shard(shard).then(over, over);
  }

  /**
   * Resumes a task that was handed over. It has none of the places here: whoever hands over sees to the number, and what
   * others wait for in another shard must not wait for this one. A worker that stops puts it back.
   */
  hand(shard: Shard, segment: Segment): void {
    const long = setTimeout(() => void shard.hold(segment).catch(() => {}), HOLD_AFTER);
    const run = (this.stopping ? putBack(segment) : this.resume(shard, segment)).finally(() => {
      clearTimeout(long);
      this.handed.delete(run);
    });
    this.handed.add(run);
  }

  /** Takes nothing more and waits for the segments that run, and for those that are being taken. */
  async stop(): Promise<void> {
    this.stopping = true;
    while (this.running.size + this.handed.size + this.taking > 0) {
      await this.takes;
      await Promise.all([...this.running, ...this.handed]);
    }
  }

  /** Waits for a place to fall free: a segment ends, or, where none runs, a take under way has filled less than it might. */
  private async place(): Promise<void> {
    await Promise.race(this.taking > 0 ? [...this.running, this.takes] : this.running);
  }

  /** Shards share the places: those that a take may fill are its own while it is under way. */
  private async take(shard: Shard, most: number): Promise<number> {
    this.taking += most;
    const take = shard
      .take(most)
      .then(({ left, segments }) => {
        for (const segment of segments) this.begin(shard, segment);
        return left;
      })
      .finally(() => {
        this.taking -= most;
      });
    this.takes = Promise.allSettled([this.takes, take]);
    return take;
  }

  private begin(shard: Shard, segment: Segment): void {
    const run = this.resume(shard, segment).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  /** Each task by itself: one's failure is never another's. */
  private async resume(shard: Shard, segment: Segment): Promise<void> {
    const { programs, check, log, ended } = this.resuming;
    try {
      ended(await resumeTask(programs, check, shard, segment, (event, facts) => log.warn(facts, event)));
    } catch (err) {
      // Redis does not answer: the lease runs out and the sweeper hands the task on.
      ended('error');
      log.error({ err, tenant: segment.tenant, taskId: segment.taskId }, 'segment abandoned');
    }
  }
}

/** It is found again by the next sweep; should Redis not answer, when its lease is over. */
async function putBack(segment: Segment): Promise<void> {
  await segment.release(0, false).catch(() => {});
}
