import { BatonError } from '@baton/protocol';
import { pause } from './throttle.ts';

/** The part of a lease after which it is renewed, and after which it is tried again while Baton is away. */
const RENEW_AFTER = 1 / 2;
const AGAIN_AFTER = 1 / 10;

/**
 * How long an interaction is hidden from other agents, as its holder knows it. A lease runs from before it was asked
 * for, so it ends here no later than it ends in Baton, and by whichever clock went further: one of them stands still
 * while a machine sleeps.
 */
export class Lease {
  readonly leaseMs: number;
  private begun: Moment;
  private timer: NodeJS.Timeout | undefined;
  private readonly over = new AbortController();
  private refusedBy: string | undefined;

  /** @param asked when it was asked for. */
  constructor(leaseMs: number, asked: Moment) {
    this.leaseMs = leaseMs;
    this.begun = asked;
    this.watch();
  }

  /** Aborted when the interaction is not this holder's any more. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** What Baton refused a renewal with: the interaction is another's, or nobody's any more. */
  get lostBy(): string | undefined {
    return this.refusedBy;
  }

  /** Milliseconds until others may claim the interaction; 0 when they may already. */
  remaining(): number {
    return this.over.signal.aborted ? 0 : Math.max(0, this.leaseMs - this.elapsed());
  }

  /**
   * Has it renewed, well before it is over and again and again, until `done`. While Baton is away it is tried until the
   * lease is over by itself; a renewal that Baton refuses ends it. Resolves when none is under way any more.
   */
  async renewUntil(renew: () => Promise<void>, done: AbortSignal): Promise<void> {
    let inMs = this.leaseMs * RENEW_AFTER - this.elapsed();
    for (;;) {
      await pause(Math.max(0, inMs), done);
      if (done.aborted || this.remaining() === 0) return;
      const asked = currentMoment();
      try {
        await renew();
        if (done.aborted) return;
        this.begun = asked;
        this.watch();
        inMs = this.leaseMs * RENEW_AFTER - this.elapsed();
      } catch (thrown) {
        if (done.aborted) return;
        if (thrown instanceof BatonError && thrown.code.startsWith('interaction_'))
          return this.lose(thrown.code);
        inMs = this.leaseMs * AGAIN_AFTER;
      }
    }
  }

  /** Nobody looks at it any more. */
  dispose(): void {
    clearTimeout(this.timer);
  }

  private lose(code: string): void {
    this.refusedBy = code;
    this.over.abort();
  }

  private elapsed(): number {
    const { monotonic, wall } = currentMoment();
    return Math.max(monotonic - this.begun.monotonic, wall - this.begun.wall);
  }

  private watch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.over.abort(), this.remaining());
  }
}

/** A moment by both clocks. */
export type Moment = ReturnType<typeof currentMoment>;

export function currentMoment() {
  return { monotonic: performance.now(), wall: Date.now() };
}
