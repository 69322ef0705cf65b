import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveSealKey, type SealKey } from './seal-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals texts that others keep for Baton (session ids, cursors, keys of LLM endpoints in Redis): encrypted and authenticated with keys of
 * one purpose (AES-256-GCM, a random nonce each), bound to what the text is for as associated data (RFC 5116, section 2.1), as
 * base64url. Nothing is stored for it, so that any replica opens what another has sealed. The key of the first secret seals, each opens, so that a secret
 * can be changed.
 */
export class Seal {
  private readonly secrets: readonly string[];
  private readonly purpose: string;
  private derived: readonly SealKey[] | undefined;

  /** `secrets`: those of the deployment, the current one first. What was sealed for another purpose does not open. */
  constructor(secrets: readonly string[], purpose: string) {
    this.secrets = secrets;
    this.purpose = purpose;
  }

  /** With another `binding` it does not open. */
  seal(text: string, binding: string): string {
    const [current] = this.keys;
    if (current === undefined) throw new Error('a seal needs a secret');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(Buffer.from(binding));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /**
   * The text, and whether the current secret has sealed it. Undefined for what was changed, and what another secret, for another
   * purpose or with another binding has sealed.
   */
  open(text: string, binding: string): { readonly text: string; readonly isCurrent: boolean } | undefined {
    const sealed = Buffer.from(text, 'base64url');
    // Decoding skips what is no base64url: each text but one would be the same seal.
    if (sealed.length < NONCE_BYTES + TAG_BYTES || sealed.toString('base64url') !== text) return undefined;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    for (const [at, { key }] of this.keys.entries()) {
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

  /** Derived for the first text. */
  private get keys(): readonly SealKey[] {
    return (this.derived ??= this.secrets.map((secret) => deriveSealKey(secret, this.purpose)));
  }
}
