import { LlmCallFailure } from '@baton/agent/llm';

/** What a worker holds of replies that have not ended, of all tenants. */
const MAX_HELD_BYTES = 268_435_456;

/**
 * The bytes of replies to calls that a worker is reading. Beyond `max`, a tenant that holds more than its share, which is an equal one for
 * each tenant with such replies, gets no more: whoever holds less is not held up by it.
 */
export class ReplyBudget {
  private readonly max: number;
  private readonly tenants = new Map<string, number>();
  private total = 0;

  constructor(max = MAX_HELD_BYTES) {
    this.max = max;
  }

  /** Counts bytes of a tenant's reply, to be released when that has ended. Errors: LlmCallFailure `overloaded_error`; nothing is counted then. */
  hold(tenant: string, bytes: number): void {
    const held = (this.tenants.get(tenant) ?? 0) + bytes;
    const share = this.max / (this.tenants.size + (held === bytes ? 1 : 0));
    if (this.total + bytes > this.max && held > share)
      throw new LlmCallFailure(
        'overloaded_error',
        `The worker holds ${this.total} bytes of replies that have not ended, its most is ${this.max}, and this tenant's ${held} are more than its share: fewer calls at once, or shorter answers, have room.`,
      );
    this.total += bytes;
    this.tenants.set(tenant, held);
  }

  /** Ends what a reply held. */
  release(tenant: string, bytes: number): void {
    const held = (this.tenants.get(tenant) ?? 0) - bytes;
    this.total -= bytes;
    if (held > 0) this.tenants.set(tenant, held);
    else this.tenants.delete(tenant);
  }
}
