import { setTimeout as sleep } from 'node:timers/promises';
import { TokenBuckets } from '../edge/limits/token-buckets.ts';

/** Characters that one tenant's streams of a replica are told by reads, a second and at once. */
const PER_SECOND = 4_194_304;
const BURST = 4_194_304;

/**
 * Reads of what streams are told, one of a tenant after the other and so much a second: a change of one large task may concern all of its streams, and
 * each tells the whole task. Who waits is told of the latest state, so nothing is lost by it.
 */
export class PacedReads {
  private readonly buckets = new TokenBuckets(PER_SECOND, BURST);
  private readonly last = new Map<string, Promise<unknown>>();

  /** Errors: those of `read`. */
  run(tenant: string, read: () => Promise<string>): Promise<string> {
    const before = this.last.get(tenant) ?? Promise.resolve();
    const mine = before.then(async () => {
      const text = await read();
      await sleep(this.buckets.take(tenant, text.length));
      return text;
    });
    const ended = mine.then(
      () => {},
      () => {},
    );
    this.last.set(tenant, ended);
    void ended.then(() => {
      if (this.last.get(tenant) === ended) this.last.delete(tenant);
    });
    return mine;
  }
}
