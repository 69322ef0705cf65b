/** A part of a list. A page may be short, or empty, and still have a next one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A page has at most so many items. */
export const PAGE_SIZE = 50;
/** The bodies on a page are at most so large in all; a larger body has a page of its own. */
export const MAX_PAGE_BYTES = 1_048_576;
/** A page ends when so many bytes were looked at for it, whether they matched its filter or not. */
export const MAX_EXAMINED_BYTES = 2_097_152;
/** One page scans at most so many members of an index. */
export const MAX_SCANNED = 2_000;
/** Fewer where a script does it, in which each member costs more. */
export const MAX_SCANNED_BY_SCRIPT = 1_000;
