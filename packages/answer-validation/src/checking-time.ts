import { LRUCache } from 'lru-cache';

/** So much of a thread's time a tenant has in the long run. */
const SHARE = 0.2;
/** Above it a tenant shares one thread with others above it. */
const HEAVY_MS = 100;
/** Above it a tenant waits, for 10 s at most. */
const MAX_USED_MS = 1_000;
const MAX_CHARGED_MS = MAX_USED_MS + 10_000 * SHARE;
/** A tenant that is not met for long has nothing to pay: forgetting it changes nothing. */
const MAX_TENANTS = 10_000;

/** How much time of the threads each tenant has used of late: what was charged, less its share of the time since. */
export class CheckingTime {
  private readonly charged = new LRUCache<string, { readonly ms: number; readonly at: number }>({
    max: MAX_TENANTS,
  });

  /** In milliseconds. */
  used(tenant: string): number {
    const entry = this.charged.get(tenant);
    return entry === undefined ? 0 : Math.max(0, entry.ms - (performance.now() - entry.at) * SHARE);
  }

  /** Has used so much that its checks are taken for long ones. */
  isHeavy(tenant: string): boolean {
    return this.used(tenant) > HEAVY_MS;
  }

  /** For how many milliseconds the tenant has to wait before its next check; 0 for most. */
  overdraft(tenant: string): number {
    return Math.max(0, (this.used(tenant) - MAX_USED_MS) / SHARE);
  }

  charge(tenant: string, ms: number): void {
    this.charged.set(tenant, {
      ms: Math.min(MAX_CHARGED_MS, this.used(tenant) + ms),
      at: performance.now(),
    });
  }
}
