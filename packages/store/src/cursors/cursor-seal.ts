import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { type Identity, visiblePrincipal } from '../identity/identity.ts';

/** A key of 256 bits. */
interface CursorKey {
  readonly key: Uint8Array;
}

/** The filters of a list by their names; one that is undefined is none. */
export type CursorFilters = Readonly<Record<string, string | undefined>>;

/** The cursors of one list with its filters, as one caller sees it. */
export interface ListCursors {
  /** A cursor that says where the next page begins, to nobody but this deployment. */
  seal(position: string): string;
  /** The position in a cursor. Errors: `invalid_arguments` for one of another caller, list or filter, and for a changed one. */
  open(cursor: string): string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Positions are padded to a multiple of this, so that a cursor's length does not tell how long the name in it is. */
const PADDED_BYTES = 64;
/** Stands behind a position, before the zeros that pad it. */
const END_OF_TEXT = 1;

/**
 * Seals the cursors of one tenant: encrypted and authenticated with a key of the tenant's own (AES-256-GCM, a random nonce
 * each), bound to who may see the list, the list and its filters as associated data (RFC 5116, section 2.1). Nothing is
 * stored, so that any replica opens what another has sealed. The first key seals, each opens.
 */
export class CursorSeal {
  private readonly deriveKeys: () => readonly CursorKey[];
  private derived: readonly CursorKey[] | undefined;

  /** `deriveKeys` is called once, for the first cursor. */
  constructor(deriveKeys: () => readonly CursorKey[]) {
    this.deriveKeys = deriveKeys;
  }

  /** The cursors of a list as this caller sees it: callers who see the same may use each other's. */
  of(list: string, identity: Identity, filters: CursorFilters = {}): ListCursors {
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    const binding = Buffer.from(JSON.stringify([visiblePrincipal(identity), list, given.toSorted(byName)]));
    return {
      seal: (position) => this.seal(position, binding),
      open: (cursor) => this.open(cursor, binding) ?? throwInvalidCursor(cursor),
    };
  }

  private get keys(): readonly CursorKey[] {
    return (this.derived ??= this.deriveKeys());
  }

  private seal(position: string, binding: Buffer): string {
    const [current] = this.keys;
    if (current === undefined) throw new Error('a seal needs a key');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(binding);
    const text = Buffer.from(position);
    const padding = Buffer.alloc(PADDED_BYTES - (text.length % PADDED_BYTES));
    padding[0] = END_OF_TEXT;
    return Buffer.concat([
      nonce,
      cipher.update(text),
      cipher.update(padding),
      cipher.final(),
      cipher.getAuthTag(),
    ]).toString('base64url');
  }

  private open(cursor: string, binding: Buffer): string | undefined {
    const sealed = Buffer.from(cursor, 'base64url');
    // Decoding skips what is no base64url: each text but one would be the same cursor.
    if (sealed.length < NONCE_BYTES + TAG_BYTES || sealed.toString('base64url') !== cursor) return undefined;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const text = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
    for (const { key } of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(binding).setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        const padded = Buffer.concat([decipher.update(text), decipher.final()]);
        return padded.subarray(0, padded.lastIndexOf(END_OF_TEXT)).toString();
      } catch {
        // Sealed with another key, or not here.
      }
    }
    return undefined;
  }
}

/** Refuses a cursor. Errors: `invalid_arguments` naming it. */
export function throwInvalidCursor(cursor: string): never {
  throw new BatonError(
    'invalid_arguments',
    `cursor: '${cursor.slice(0, 40)}' is not one that Baton gave out. Leave it out to start from the beginning.`,
    { field: 'cursor' },
  );
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
