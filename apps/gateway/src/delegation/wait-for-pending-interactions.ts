import type { PendingQuery, PendingPage } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';

/**
 * A page of pending interactions. If there is none, waits until there may be one, until a claim ends that hid one, until
 * `waitMs` are over or until the call is aborted.
 *
 * It reads to the end of the list, and again whenever there may be something: a page without a match is not returned to the
 * caller to page on. With a claim it begins anew each time, since what becomes free may stand before the cursor.
 */
export async function waitForPendingInteractions(
  call: AdmittedCall,
  { waitMs, ...query }: PendingQuery & { readonly waitMs: number },
): Promise<PendingPage> {
  const { identity, tenant } = call;
  const { queries } = tenant;
  if (waitMs === 0) return queries.pending(identity, query);
  const { inbox } = call.services.store;
  const deadline = performance.now() + waitMs;
  const isOver = () => performance.now() >= deadline || call.signal().aborted;
  const start = query.claim === undefined ? query.cursor : undefined;
  let { cursor } = query;
  let fromStart = cursor === start;
  let freeInMs = Number.POSITIVE_INFINITY;
  const subscription = inbox.subscribe(queries.pendingTopic);
  try {
    for (;;) {
      const page = await queries.pending(identity, { ...query, cursor, channel: inbox.channel });
      if (page.items.length > 0 || isOver()) return page;
      freeInMs = Math.min(freeInMs, page.freeInMs ?? freeInMs);
      cursor = page.nextCursor;
      if (cursor !== undefined) continue;
      if (fromStart) await subscription.next(Math.min(freeInMs, deadline - performance.now()), call.signal());
      // What is claimed for a closed client would be hidden from everyone.
      if (isOver()) return page;
      [cursor, fromStart, freeInMs] = [start, true, Number.POSITIVE_INFINITY];
    }
  } finally {
    subscription.close();
  }
}
