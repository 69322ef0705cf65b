import type { Identity, Look, PendingPage } from '@baton/store';
import type { Call } from '../context.ts';

/**
 * A page of what is pending. If there is nothing, waits until something is, on whatever replica it was asked for, until
 * a claim ends that hid something, `waitMs` are over or the call is aborted.
 */
export async function pendingOrWait(
  call: Call,
  identity: Identity,
  { waitMs, ...look }: Look & { readonly waitMs: number },
): Promise<PendingPage> {
  const { listing } = call.tenant;
  if (waitMs === 0) return listing.pending(identity, look);
  const { inbox } = call.services.store;
  const deadline = Date.now() + waitMs;
  const isOver = () => Date.now() >= deadline || call.signal().aborted;
  const listener = inbox.listen(listing.backlog);
  try {
    for (;;) {
      const page = await listing.pending(identity, { ...look, channel: inbox.channel });
      if (page.items.length > 0 || page.nextCursor !== undefined || isOver()) return page;
      const { freeInMs = Number.POSITIVE_INFINITY } = page;
      await listener.next(Math.min(freeInMs, deadline - Date.now()), call.signal());
      // What is claimed for someone who has gone would be hidden from everyone.
      if (isOver()) return page;
    }
  } finally {
    listener.close();
  }
}
