import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key of 256 bits. */
interface SealKey {
  readonly key: Uint8Array;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals the keys of a tenant's LLM endpoints: encrypted and authenticated with a key of the tenant's own (AES-256-GCM, a random
 * nonce each), bound to what the endpoint key is for as associated data (RFC 5116, section 2.1). The first key seals, each opens.
 */
export class KeySeal {
  private readonly deriveKeys: () => readonly SealKey[];
  private derived: readonly SealKey[] | undefined;

  /** `deriveKeys` is called once, for the first endpoint key. */
  constructor(deriveKeys: () => readonly SealKey[]) {
    this.deriveKeys = deriveKeys;
  }

  /** `binding`: what the key is for; with another it does not open. */
  seal(text: string, binding: string): string {
    const [current] = this.keys;
    if (current === undefined) throw new Error('a seal needs a key');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(Buffer.from(binding));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /**
   * The text, and whether the first key has sealed it. Undefined for what another deployment, tenant or secret has sealed, or for
   * another binding.
   */
  open(text: string, binding: string): { readonly text: string; readonly isCurrent: boolean } | undefined {
    const sealed = Buffer.from(text, 'base64url');
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const [at, { key }] of this.keys.entries()) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(binding)).setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        const opened = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
        return { text: Buffer.concat(opened).toString(), isCurrent: at === 0 };
      } catch {
        // Sealed with another key, or for something else.
      }
    }
    return undefined;
  }

  private get keys(): readonly SealKey[] {
    return (this.derived ??= this.deriveKeys());
  }
}
