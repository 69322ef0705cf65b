import { BatonError } from '@baton/protocol';
import { type Identity, visiblePrincipal } from '../identity/identity.ts';
import type { Seal } from '../secrets/seal.ts';

/** The filters of a list by their names; one that is undefined is none. */
export type CursorFilters = Readonly<Record<string, string | undefined>>;

/** The cursors of one list with its filters, as one caller sees it. */
export interface ListCursors {
  /** A cursor that says where the next page begins, to nobody but this deployment. */
  seal(position: string): string;
  /** The position in a cursor. Errors: `invalid_arguments` for one of another caller, list or filter, and for a changed one. */
  open(cursor: string): string;
}

/** Positions are padded to a multiple of this, so that a cursor's length does not tell how long the name in it is. */
const PADDED_BYTES = 64;
/** Stands behind a position, before the zeros that pad it. */
const END_OF_TEXT = '\u0001';

/** Seals the cursors of one tenant, bound to who may see the list, the list and its filters. */
export class CursorSeal {
  private readonly seal: Seal;

  constructor(seal: Seal) {
    this.seal = seal;
  }

  /** The cursors of a list as this caller sees it: callers who see the same may use each other's. */
  of(list: string, identity: Identity, filters: CursorFilters = {}): ListCursors {
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    const binding = JSON.stringify([visiblePrincipal(identity), list, given.toSorted(byName)]);
    return {
      seal: (position) => this.seal.seal(padded(position), binding),
      open: (cursor) => {
        const text = this.seal.open(cursor, binding)?.text ?? throwInvalidCursor(cursor);
        return text.slice(0, text.lastIndexOf(END_OF_TEXT));
      },
    };
  }
}

function padded(position: string): string {
  const length = Buffer.byteLength(position) + END_OF_TEXT.length;
  return position + END_OF_TEXT + '\0'.repeat((PADDED_BYTES - (length % PADDED_BYTES)) % PADDED_BYTES);
}

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
