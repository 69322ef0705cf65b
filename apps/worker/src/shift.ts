import { ATTEND_INTERVAL } from '@baton/store';
import type { Segment, Shard } from '@baton/store/shards';
import type { Drain } from './drain.ts';

/** A shift in which nothing came for so long ends, and the worker is free for other shards' jobs. */
const IDLE_MS = 10_000;

/**
 * A worker's time on one shard. BullMQ calls it by a job; it takes what is ready, and then stays a while, since where
 * one answer came more will: those are handed to it or ring for it, and need no job. So a job costs once a shift, not
 * once an answer. What a shift should miss, the sweep finds.
 */
export class Shift {
  private readonly shard: Shard;
  private readonly drain: Drain;
  private rung: (() => void) | undefined;
  private ringing = false;
  /** True when something was handed over since the shift last began to wait. */
  private handed = false;
  private stopping = false;
  private present = false;

  constructor(shard: Shard, drain: Drain) {
    this.shard = shard;
    this.drain = drain;
  }

  /** Runs a shift to its end: begins it anew as long as something came while it was being left. */
  async run(): Promise<void> {
    do await this.attend();
    while (!this.stopping && (await this.shard.leave()) > 0);
    if (this.stopping) await this.shard.leave().catch(() => {});
  }

  /** Announces the shift and takes what is ready and what rings, until nothing has for a while. */
  private async attend(): Promise<void> {
    const ring = () => void this.ring();
    const announce = () => this.shard.attend(ring, (segment) => this.take(segment));
    await announce();
    this.present = true;
    let announcing: Promise<unknown> = Promise.resolve();
    const attending = setInterval(() => {
      announcing = announce().then(
        (ready) => ready > 0 && ring(),
        () => {},
      );
    }, ATTEND_INTERVAL);
    try {
      do await this.drain.shard(this.shard);
      while (await this.nextRing());
    } finally {
      this.present = false;
      clearInterval(attending);
      // Or it would announce a shift that is over.
      await announcing;
    }
  }

  /** Has the shift look again at what is ready; false when there is no shift. */
  ring(): boolean {
    this.ringing = true;
    this.rung?.();
    return this.present;
  }

  stop(): void {
    this.stopping = true;
    this.rung?.();
  }

  private take(segment: Segment): void {
    this.handed = true;
    this.drain.hand(this.shard, segment);
  }

  /** False when nothing rang and nothing was handed over for long enough, or the worker stops. */
  private async nextRing(): Promise<boolean> {
    while (!this.ringing && !this.stopping) {
      this.handed = false;
      await new Promise<void>((resolve) => {
        const idle = setTimeout(resolve, IDLE_MS);
        this.rung = () => {
          clearTimeout(idle);
          resolve();
        };
      });
      this.rung = undefined;
      if (!this.handed) break;
    }
    const rang = this.ringing && !this.stopping;
    this.ringing = false;
    return rang;
  }
}
