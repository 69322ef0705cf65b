import { NotBatonError } from './not-baton-error.ts';

/** The cursors of a list that is read page by page. */
export class PageCursors {
  private readonly seen = new Set<string>();
  private readonly url: string;

  /** @param url of the list. */
  constructor(url: string) {
    this.url = url;
  }

  /** The cursor of the page behind this one; undefined behind the last. Errors: NotBatonError for one that came before, by which a list has no end. */
  after({ nextCursor: cursor }: { readonly nextCursor?: unknown }): string | undefined {
    if (cursor === undefined) return undefined;
    if (typeof cursor !== 'string')
      throw new NotBatonError(this.url, 'a page names a cursor that is no text');
    if (this.seen.has(cursor)) throw new NotBatonError(this.url, 'a page names a cursor that came before');
    this.seen.add(cursor);
    return cursor;
  }
}
