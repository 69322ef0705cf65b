import { z } from 'zod';
import { STATUSES, type Status } from './status-and-priority.ts';

/**
 * A status that an answer gives and that is not taken. `new`: tasks and subtasks begin pending. `done`: done work stays
 * done. `not_requested`: the answer does not quote words of the request that ask for it.
 */
const ignoredStatusSchema = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  reason: z.enum(['new', 'done', 'not_requested']),
});
export type IgnoredStatus = Readonly<z.infer<typeof ignoredStatusSchema>>;

/** Limit of ignored statuses in one result: a hostile answer must not make it too large for clients. */
const MAX_LISTED = 200;

/** The field of a result's schema; absent where none was ignored. */
export const statusesIgnoredField = {
  statusesIgnored: z
    .array(ignoredStatusSchema)
    .optional()
    .describe('Statuses of the answer that were not taken, the first 200'),
};

/** The field of a result. */
export function listIgnoredStatuses(...lists: readonly (readonly IgnoredStatus[] | undefined)[]): {
  statusesIgnored?: IgnoredStatus[];
} {
  const ignored = lists.flatMap((list) => list ?? []).slice(0, MAX_LISTED);
  return ignored.length === 0 ? {} : { statusesIgnored: ignored };
}

/** For summaries: the sentence's end where any status was ignored. */
export function ignoredStatusesNote(ignored: readonly IgnoredStatus[] = []): string {
  if (ignored.length === 0) return '';
  return `; ignored the statuses that the answer gave for ${ignored.map(({ id }) => id).join(', ')}`;
}

/** What is ignored of new items, which were numbered `ids` in their order. */
export function statusesOfNewItems(
  items: readonly { readonly status?: Status | undefined }[],
  ids: readonly (string | number)[],
): IgnoredStatus[] {
  return items.flatMap(({ status }, at): IgnoredStatus[] =>
    status === undefined || status === 'pending' ? [] : [{ id: `${ids[at]}`, status, reason: 'new' }],
  );
}
