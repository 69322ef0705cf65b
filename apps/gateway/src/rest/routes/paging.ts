import type { Page } from '@baton/store';
import { z } from 'zod';
import { optionalParam } from './optional-param.ts';

export const cursorParamSchema = optionalParam(z.string().max(500)).describe(
  '`nextCursor` of the page before',
);

export const nextCursorSchema = z
  .string()
  .optional()
  .describe('Where the next page begins; absent on the last. A page may be short and still have a next one');

/** How many pages one request may pass over while nothing on them is wanted. */
const MAX_PAGES_SKIPPED = 4;

/** The next page on which something matches. The store pages by position, filters come after. */
export async function nextMatchingPage<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  from: string | undefined,
): Promise<Page<T>> {
  let page = await read(from);
  for (let pages = 1; ; pages++) {
    if (page.items.length > 0 || page.nextCursor === undefined || pages === MAX_PAGES_SKIPPED) return page;
    page = await read(page.nextCursor);
  }
}
