import { createHash, hkdfSync } from 'node:crypto';

/** A key of 256 bits, and its id, by which the key of a sealed value is found. */
export interface SealKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** Derives the key of one purpose from the deployment's secret (HKDF, RFC 5869): one purpose cannot open what another sealed. */
export function deriveSealKey(secret: string, label: string): SealKey {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', `baton ${label}`, 32));
  return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key };
}
