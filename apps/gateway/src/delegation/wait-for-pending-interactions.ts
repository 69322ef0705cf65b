import { claimGroup, type PendingQuery, type PendingPage } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';
import { TokenBuckets } from '../edge/limits/token-buckets.ts';
import { msUntilDeadlineOrKeyExpiry } from './ms-until-deadline-or-key-expiry.ts';

/** So many pages, which is 2,000 interactions, are read in a second by one wait. */
const PAGES_PER_SECOND = 40;
/** And by all waits of a tenant on this replica, but for the first page of each: that is a call's, which the rate counts. */
const PAGES_OF_TENANT_PER_SECOND = 200;
const pagesOfTenant = new TokenBuckets(PAGES_OF_TENANT_PER_SECOND, PAGES_OF_TENANT_PER_SECOND);

/**
 * A page of pending interactions. If there is none, waits until there may be one (of waits that claim the same, one is woken, and
 * passes it on where it leaves something), until a claim ends that hid one, until
 * `waitMs` are over or until the call is aborted.
 *
 * It reads to the end of the list, and again whenever there may be something: a page without a match is not returned to the
 * caller to page on. With a claim it begins anew each time, since what becomes free may stand before the cursor. A list of
 * which nothing matches is read at PAGES_PER_SECOND at most, however long it is and however often it changes, and those of a tenant's waits
 * at PAGES_OF_TENANT_PER_SECOND.
 * Errors: those of an admission that ended meanwhile, as soon as it does.
 */
export async function waitForPendingInteractions<T>(
  call: AdmittedCall,
  { waitMs, ...query }: PendingQuery & { readonly waitMs: number },
  read: (query: PendingQuery) => Promise<PendingPage<T>>,
): Promise<PendingPage<T>> {
  const { identity, tenant } = call;
  if (waitMs === 0) return read(query);
  const { inbox } = call.services.store;
  const deadline = performance.now() + waitMs;
  const isOver = () => performance.now() >= deadline || call.signal().aborted;
  const start = query.claim === undefined ? query.cursor : undefined;
  let { cursor } = query;
  let fromStart = cursor === start;
  let freeInMs = Number.POSITIVE_INFINITY;
  const group = query.claim === undefined ? undefined : claimGroup(identity, query);
  const subscription = inbox.subscribe(tenant.keys.pendingTopic, identity.admittedBy, group);
  let [pages, since, mayHaveMore] = [0, performance.now(), false];
  /** Lasts until `until`, or until the wait is over. True when an update came meanwhile. */
  const pause = async (until: number) => {
    const end = Math.min(until, deadline);
    for (let updated = false; ; updated = true) {
      const left = msUntilDeadlineOrKeyExpiry(end, identity);
      if (left <= 0 || isOver()) return updated;
      if ((await subscription.next(left, call.signal())) === 'ended') return updated;
    }
  };
  try {
    for (let isFirst = true; ; isFirst = false) {
      const isFull = pages === PAGES_PER_SECOND;
      const owedMs = isFirst ? 0 : pagesOfTenant.take(tenant.id, 1);
      if (isFull || owedMs > 0) {
        const end = Math.max(isFull ? since + 1_000 : 0, performance.now() + owedMs);
        if (await pause(end)) mayHaveMore = true;
        if (isOver()) return { items: [], ...(cursor === undefined ? {} : { nextCursor: cursor }) };
      }
      if (isFull) [pages, since] = [0, performance.now()];
      pages++;
      const page = await read({ ...query, cursor, channel: inbox.channel });
      if (page.items.length > 0 || isOver()) return page;
      if (page.mayHaveMore) subscription.wakeNext();
      freeInMs = Math.min(freeInMs, page.freeInMs ?? freeInMs);
      cursor = page.nextCursor;
      if (cursor !== undefined) continue;
      // What an update of a pause tells of may stand on a page that was read before it.
      if (fromStart && !mayHaveMore)
        await subscription.next(
          Math.min(freeInMs, msUntilDeadlineOrKeyExpiry(deadline, identity)),
          call.signal(),
        );
      // What is claimed for a closed client would be hidden from everyone.
      if (isOver()) return page;
      [cursor, fromStart, freeInMs, mayHaveMore] = [start, true, Number.POSITIVE_INFINITY, false];
    }
  } finally {
    subscription.close();
  }
}
