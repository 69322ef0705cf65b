import { BatonError } from '@baton/protocol';
import { refusalError } from './refusal-error.ts';

/**
 * A program's request is larger than its tenant's `delegatedRequestBytes`: `limit_size`, and nothing was written. The
 * effect at `path` ends with this error, and the program goes on from there.
 */
export class OversizedRequestError extends BatonError {
  readonly path: string;

  /** @param reply the refusal of OPEN or PARK. */
  constructor(reply: readonly unknown[]) {
    const { code, message, details } = refusalError(reply);
    super(code, message, details);
    this.path = String(reply[4]);
  }
}
