import { BatonError } from '@baton/protocol';
import { refusal } from './refusal.ts';

/**
 * A request that a program asks for and that is larger than its tenant's `delegatedRequestBytes`, wherever it would be
 * opened: `limit_size`, with nothing written. The effect at `path` ends with it, and its program goes on from there.
 */
export class OversizedRequest extends BatonError {
  readonly path: string;

  /** @param reply what OPEN or PARK refused with. */
  constructor(reply: readonly unknown[]) {
    const { code, message, details } = refusal(reply);
    super(code, message, details);
    this.path = String(reply[4]);
  }
}
