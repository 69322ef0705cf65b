import { createHash, hkdfSync } from 'node:crypto';

/** A key of 256 bits, and the name under which it is found again. */
export interface SealKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The key of a deployment's secret for one purpose (HKDF, RFC 5869): what is sealed for one opens nothing of another. */
export function sealKey(secret: string, label: string): SealKey {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `baton ${label}`, 32));
  return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key };
}
