import { LRUCache } from 'lru-cache';

/** A bucket that is not met for long is full again: forgetting it changes nothing. */
const MAX_BUCKETS = 10_000;
/** The longest that a debt makes anyone wait, and so the deepest that it gets. */
const MAX_WAIT_MS = 5_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by subject, in this process only. A cost is always taken, into debt if need be; the debt says how long
 * its cause is to wait. The 10,000 subjects that were met last are remembered.
 */
export class TokenBuckets {
  private readonly perSecond: number;
  private readonly burst: number;
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(perSecond: number, burst: number) {
    this.perSecond = perSecond;
    this.burst = burst;
  }

  /** Takes `cost` and returns after how many milliseconds the debt is paid back: 0 without one, 5,000 at most. */
  take(subject: string, cost: number): number {
    const bucket = this.buckets.get(subject) ?? { tokens: this.burst, at: performance.now() };
    const deepest = (-MAX_WAIT_MS * this.perSecond) / 1_000;
    bucket.tokens = Math.max(deepest, this.refilled(bucket) - cost);
    bucket.at = performance.now();
    this.buckets.set(subject, bucket);
    return bucket.tokens >= 0 ? 0 : (-bucket.tokens * 1_000) / this.perSecond;
  }

  /** What may be taken without a debt. */
  left(subject: string): number {
    const bucket = this.buckets.peek(subject);
    return bucket === undefined ? this.burst : Math.max(0, this.refilled(bucket));
  }

  private refilled({ tokens, at }: Bucket): number {
    return Math.min(this.burst, tokens + ((performance.now() - at) * this.perSecond) / 1_000);
  }
}
