import { MAX_PAGE_SIZE, type Page } from '@baton/store';
import { z } from 'zod';
import { optionalParam } from './optional-param.ts';

export const cursorParamSchema = optionalParam(z.string().max(500)).describe(
  '`nextCursor` of the page before',
);

/** Up to MAX_PAGE_SIZE. A page ends too where so many of a list were looked at that did not match: `nextCursor` goes on there. */
export const limitParamSchema = optionalParam(z.coerce.number().int().min(1).max(MAX_PAGE_SIZE)).describe(
  'How many at most; 50 when left out',
);

const time = z.iso.datetime({ offset: true });

/** Whose, and since and until when: fields of queries and of bodies. */
export const originFields = {
  principal: optionalParam(z.string().max(200)).describe('Only those of calls of this principal'),
  createdAfter: optionalParam(time).describe('Only those that were created then or later, in ISO 8601'),
  createdBefore: optionalParam(time).describe('Only those that were created before, in ISO 8601'),
};

export const nextCursorSchema = z
  .string()
  .optional()
  .describe('Where the next page begins; absent on the last. A page may be short and still have a next one');

/** How many pages one request may pass over while nothing on them is wanted. */
const MAX_PAGES_SKIPPED = 4;

/** The next page on which something matches. The store pages by position, filters come after. */
export async function nextNonEmptyPage<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  from: string | undefined,
): Promise<Page<T>> {
  let page = await read(from);
  for (let pages = 1; ; pages++) {
    if (page.items.length > 0 || page.nextCursor === undefined || pages === MAX_PAGES_SKIPPED) return page;
    page = await read(page.nextCursor);
  }
}
