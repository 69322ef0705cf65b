import { BatonError } from '@baton/protocol';

/** Refusals of the key itself: every other call would be refused too. */
const KEY_REFUSALS = new Set(['unauthenticated', 'insufficient_scope', 'tenant_suspended']);

export function isKeyRefusal({ code }: BatonError): boolean {
  return KEY_REFUSALS.has(code);
}

/** How long Baton asked not to be called again, in milliseconds; 0 when it did not. */
export function retryAfterMs(error: unknown): number {
  return error instanceof BatonError ? Number(error.details['retryAfterMs'] ?? 0) : 0;
}
