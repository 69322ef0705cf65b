import type { SealKey } from '@baton/store';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Nothing that was sealed here is longer, and nothing longer is worth looking into. */
const MAX_SEALED_LENGTH = 6_000;

/**
 * Seals texts that clients keep for Baton: encrypted and authenticated (JWE compact, RFC 7516: `dir` with A256GCM), in
 * visible ASCII. The first key seals; each opens what it has sealed, by the id in the header, so that a secret can be
 * changed while what was sealed under the older one is still about.
 */
export class Seal {
  private readonly keys: readonly SealKey[];

  constructor(keys: readonly SealKey[]) {
    this.keys = keys;
  }

  async seal(text: string): Promise<string> {
    const [current] = this.keys;
    if (current === undefined) throw new Error('a seal needs a key');
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id })
      .encrypt(current.key);
  }

  /** The text, or undefined for what was not sealed with any of the keys, or was changed since. */
  async open(sealed: string): Promise<string | undefined> {
    if (sealed.length > MAX_SEALED_LENGTH) return undefined;
    try {
      const { plaintext } = await compactDecrypt(sealed, ({ kid }) => this.keyOf(kid), {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return new TextDecoder().decode(plaintext);
    } catch {
      return undefined;
    }
  }

  private keyOf(id: string | undefined): Uint8Array {
    const found = this.keys.find((key) => key.id === id);
    if (found === undefined) throw new Error('no key has this id');
    return found.key;
  }
}
