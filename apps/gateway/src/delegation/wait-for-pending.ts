import type { PendingQuery, PendingPage } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';

/**
 * A page of what is pending. If there is nothing, waits until something is, on whatever replica it was asked for, until
 * a claim ends that hid something, `waitMs` are over or the call is aborted.
 *
 * It walks to the end of the list, and again whenever there may be something: a page on which nothing is wanted is not
 * the caller's to turn. Who claims begins anew each time, since what comes free may stand before the cursor.
 */
export async function waitForPending(
  call: AdmittedCall,
  { waitMs, ...look }: PendingQuery & { readonly waitMs: number },
): Promise<PendingPage> {
  const { identity, tenant } = call;
  const { queries } = tenant;
  if (waitMs === 0) return queries.pending(identity, look);
  const { inbox } = call.services.store;
  const deadline = performance.now() + waitMs;
  const isOver = () => performance.now() >= deadline || call.signal().aborted;
  const begin = look.claim === undefined ? look.cursor : undefined;
  let { cursor } = look;
  let fromBegin = cursor === begin;
  let freeInMs = Number.POSITIVE_INFINITY;
  const listener = inbox.subscribe(queries.pendingTopic);
  try {
    for (;;) {
      const page = await queries.pending(identity, { ...look, cursor, channel: inbox.channel });
      if (page.items.length > 0 || isOver()) return page;
      freeInMs = Math.min(freeInMs, page.freeInMs ?? freeInMs);
      cursor = page.nextCursor;
      if (cursor !== undefined) continue;
      if (fromBegin) await listener.next(Math.min(freeInMs, deadline - performance.now()), call.signal());
      // What is claimed for someone who has gone would be hidden from everyone.
      if (isOver()) return page;
      [cursor, fromBegin, freeInMs] = [begin, true, Number.POSITIVE_INFINITY];
    }
  } finally {
    listener.close();
  }
}
