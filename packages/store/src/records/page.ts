/** A part of a list; a page may be short, or empty, and still have a next one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** How many items a page has at most. */
export const PAGE_SIZE = 50;
/** How large the bodies on a page are in all; a body that is larger by itself has a page of its own. */
export const MAX_PAGE_BYTES = 1_048_576;
/** How many members of an index one page may pass over. */
export const MAX_SCANNED = 2_000;
