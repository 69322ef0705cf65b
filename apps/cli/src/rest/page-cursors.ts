import { NotBatonError } from './not-baton-error.ts';

/** No list of Baton's has as many. */
const MAX_PAGES = 100_000;

/** The cursors of a list that is read page by page. */
export class PageCursors {
  private readonly seen = new Set<string>();
  private readonly url: string;

  /** @param url of the list. */
  constructor(url: string) {
    this.url = url;
  }

  /** The cursor of the page behind this one; undefined behind the last. Errors: NotBatonError for a list without an end. */
  after({ nextCursor: cursor }: { readonly nextCursor?: unknown }): string | undefined {
    if (cursor === undefined) return undefined;
    if (typeof cursor !== 'string')
      throw new NotBatonError(this.url, 'a page names a cursor that is no text');
    if (this.seen.has(cursor)) throw new NotBatonError(this.url, 'a page names a cursor that came before');
    if (this.seen.size === MAX_PAGES)
      throw new NotBatonError(this.url, `it has more than ${MAX_PAGES} pages`);
    this.seen.add(cursor);
    return cursor;
  }
}
