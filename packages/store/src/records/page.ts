/** A part of a list. A page may be short, or empty, and still have a next one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A page has at most so many items. */
export const PAGE_SIZE = 50;
/** Who asks for more gets so many at most, where each is small. */
export const MAX_PAGE_SIZE = 200;
/** The bodies on a page are at most so large in all; a larger body has a page of its own. */
export const MAX_PAGE_BYTES = 1_048_576;
/** The bounds of a page that goes into a model's context: bytes in all, of which each item counts some beside its body. */
export interface PageBounds {
  readonly bytes: number;
  readonly itemBytes: number;
}
/** A page ends when so many bytes were looked at for it, whether they matched its filter or not. */
export const MAX_EXAMINED_BYTES = 2_097_152;
/** One page scans at most so many members of an index. */
export const MAX_SCANNED = 2_000;
/** Fewer where a script does it, in which each member costs more. */
export const MAX_SCANNED_BY_SCRIPT = 1_000;

/** Which of what has an owner and was created some time to return; an absent field matches all. Milliseconds by Redis's clock. */
export interface OwnerAndTimeFilter {
  readonly principal?: string | undefined;
  /** At this time or later. */
  readonly createdAfter?: number | undefined;
  /** Before this time. */
  readonly createdBefore?: number | undefined;
}

/** As a cursor is bound to it. */
export function originFilters({ principal, createdAfter, createdBefore }: OwnerAndTimeFilter) {
  return { principal, createdAfter: createdAfter?.toString(), createdBefore: createdBefore?.toString() };
}

export function isCreatedWithin(
  createdAt: number,
  { createdAfter, createdBefore }: OwnerAndTimeFilter,
): boolean {
  return createdAt >= (createdAfter ?? 0) && createdAt < (createdBefore ?? Infinity);
}
