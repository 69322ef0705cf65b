import type { Scope } from '@baton/protocol';

/**
 * The key with which a request was admitted. Whatever reads, claims, subscribes or waits for the request checks it again, in
 * the same script as what it gives (`include/admission_recheck.lua`), so that a key that has ended is of no use to a call that is held.
 */
export class AdmittedKey {
  readonly tenant: string;
  readonly id: string;
  readonly digest: string;
  /** The name of its record in Redis. */
  readonly record: string;
  /** The request needs one of these scopes: those of its latest admission. */
  need: readonly Scope[] = [];
  private expiry = Number.POSITIVE_INFINITY;

  constructor(key: {
    readonly tenant: string;
    readonly id: string;
    readonly digest: string;
    readonly record: string;
  }) {
    this.tenant = key.tenant;
    this.id = key.id;
    this.digest = key.digest;
    this.record = key.record;
  }

  /** When it expires, as far as is known, by `performance.now()`; infinite for a key that does not. */
  get expiresAt(): number {
    return this.expiry;
  }

  /** Takes what a script said by Redis's clock: in how many milliseconds it expires, '' for never. */
  recordExpiry(expiresInMs: unknown): void {
    this.expiry = expiresInMs === '' ? Number.POSITIVE_INFINITY : performance.now() + Number(expiresInMs);
  }
}
