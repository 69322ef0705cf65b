import { setImmediate, setTimeout } from 'node:timers/promises';

/** A shorter wait than so many milliseconds is put off. */
const MIN_WAIT_MS = 5;

/** Lets through so many units a second, in the order in which they are asked for, at most one ask in a turn of the event loop. */
export class RateLimiter {
  private readonly perSecond: number;
  private readonly maxSaved: number;
  private units: number;
  private refilledAt = performance.now();
  private last: Promise<unknown> = Promise.resolve();

  /** @param maxSaved the units that are let through at once after a time without any. */
  constructor({ perSecond, maxSaved }: { perSecond: number; maxSaved: number }) {
    this.perSecond = perSecond;
    this.maxSaved = maxSaved;
    this.units = maxSaved;
  }

  /** Waits until the units may pass. Errors: the reason of `signal`. */
  wait(units: number, signal: AbortSignal | undefined): Promise<void> {
    const turn = this.last.then(() => this.pay(units, signal));
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Counts units that have passed already: what stopped the whole process, such as a pause of its machine, costs `maxSaved` at most. */
  charge(units: number): void {
    this.units = Math.max(-this.maxSaved, this.units - units);
  }

  private async pay(units: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const now = performance.now();
    const refill = ((now - this.refilledAt) / 1_000) * this.perSecond;
    this.units = Math.min(this.maxSaved, this.units + refill) - units;
    this.refilledAt = now;
    const waitMs = (-this.units / this.perSecond) * 1_000;
    if (waitMs < MIN_WAIT_MS) await setImmediate();
    else await setTimeout(waitMs, undefined, { signal });
  }
}
