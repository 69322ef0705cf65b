import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { TokenBuckets } from '../edge/limits/token-buckets.ts';

/** Characters that one tenant's streams of a replica are told, a second and at once. */
const PER_SECOND = 4_194_304;
const BURST = 4_194_304;
/** What a write costs beside its characters. */
const WRITE_COST = 1_024;

/**
 * What streams are told, one of a tenant after the other, each in a turn of the event loop, and so much a second: a change may concern all of its
 * streams, and each tells a whole task, or names a hundred resources. Who waits is told of the latest state, so nothing is lost by it.
 */
export class StreamRateLimiter {
  private readonly buckets = new TokenBuckets(PER_SECOND, BURST);
  private readonly last = new Map<string, Promise<void>>();

  /** @param write gives how many characters it wrote: 0 costs nothing. Errors: those of `write`. */
  run(tenant: string, write: () => number | Promise<number>): Promise<void> {
    const written = (this.last.get(tenant) ?? Promise.resolve()).then(write);
    const paid = written.then(
      (characters) => this.pay(tenant, characters),
      () => {},
    );
    this.last.set(tenant, paid);
    void paid.then(() => {
      if (this.last.get(tenant) === paid) this.last.delete(tenant);
    });
    return written.then(() => {});
  }

  private async pay(tenant: string, characters: number): Promise<void> {
    if (characters === 0) return;
    const wait = this.buckets.take(tenant, characters + WRITE_COST);
    await (wait > 0 ? sleep(wait) : setImmediate());
  }
}
