import { BatonError } from '@baton/protocol';
import { readClocks, elapsedSince, type Moment } from '../timing/clock.ts';
import { sleep } from '../timing/sleep.ts';

/** The part of a lease after which it is renewed, and the pause before a failed renewal is tried again. */
const RENEW_AFTER = 1 / 2;
const RETRY_AFTER = 1 / 10;

/**
 * How long a claim hides an interaction from other agents, as this agent knows it. It counts from before the claim was
 * sent, so that it never ends here later than in Baton.
 */
export class Lease {
  readonly leaseMs: number;
  private begun: Moment;
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();
  private refusal: string | undefined;

  /** @param claimedAt the moment before the claim was sent. */
  constructor(leaseMs: number, claimedAt: Moment) {
    this.leaseMs = leaseMs;
    this.begun = claimedAt;
    this.startTimer();
  }

  /** Aborted when the interaction is not this agent's any more. */
  get signal(): AbortSignal {
    return this.ended.signal;
  }

  /** The code that Baton refused a renewal with: another agent has the interaction, or it is closed. */
  get lostBy(): string | undefined {
    return this.refusal;
  }

  /** Milliseconds until others may claim the interaction; 0 when they may already. */
  remaining(): number {
    return this.ended.signal.aborted ? 0 : Math.max(0, this.leaseMs - elapsedSince(this.begun));
  }

  /**
   * Renews at half of the lease, again and again, until `done`. While Baton is unavailable it retries until the lease
   * runs out; a renewal that Baton refuses ends the lease. Resolves when no renewal is under way any more.
   */
  async renewUntil(done: AbortSignal, renew: () => Promise<void>): Promise<void> {
    let inMs = this.untilRenewal();
    for (;;) {
      await sleep(Math.max(0, inMs), done);
      if (done.aborted || this.remaining() === 0) return;
      const sentAt = readClocks();
      try {
        await renew();
        if (done.aborted) return;
        this.begun = sentAt;
        this.startTimer();
        inMs = this.untilRenewal();
      } catch (thrown) {
        if (done.aborted) return;
        if (thrown instanceof BatonError && thrown.code.startsWith('interaction_')) {
          this.refusal = thrown.code;
          this.ended.abort();
          return;
        }
        inMs = this.leaseMs * RETRY_AFTER;
      }
    }
  }

  /** Stops the timer; the lease ends no signal any more. */
  dispose(): void {
    clearTimeout(this.timer);
  }

  private untilRenewal(): number {
    return this.leaseMs * RENEW_AFTER - elapsedSince(this.begun);
  }

  private startTimer(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ended.abort(), this.remaining());
  }
}
