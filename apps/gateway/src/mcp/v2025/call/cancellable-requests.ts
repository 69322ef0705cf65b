import { BatonError, isRecord } from '@baton/protocol';
import { LRUCache } from 'lru-cache';
import type { Call } from '../../../call/call.ts';
import { REQUEST_CANCELLED } from '../../../call/inflight-waits.ts';
import type { Session } from '../../../sessions/session.ts';
import type { SessionTokens } from '../../../sessions/session-tokens.ts';
import { SetMultimap } from '../../../subscriptions/set-multimap.ts';
import type { DispatchedReply } from '../../dispatch/dispatcher.ts';
import type { Dispatched } from '../../dispatch/send-dispatched.ts';

/** A longer JSON-RPC id is not told to other replicas: its request cannot be cancelled. */
const MAX_ID_LENGTH = 256;

/** How many cancelled requests this replica remembers, and for how long, so that the client of one does not open its stream again. Milliseconds. */
const MAX_CANCELLED = 10_000;
const CANCELLED_FOR_MS = 60_000;

interface CancellableRequest {
  readonly signal: Call['signal'];
  isCancelled: boolean;
}

/**
 * The requests of sessions that this replica works on. `notifications/cancelled`, at whichever replica, ends what such a request waits
 * for, and it is not answered (MCP 2025-11-25, basic/utilities/cancellation). What has been done stays done: a call as a task goes on, which
 * `tasks/cancel` is for.
 */
export class CancellableRequests {
  private readonly underWay = new SetMultimap<string, CancellableRequest>();
  private readonly cancelled = new LRUCache<string, true>({ max: MAX_CANCELLED, ttl: CANCELLED_FOR_MS });

  constructor(sessions: Pick<SessionTokens, 'onCancel'>) {
    sessions.onCancel((sessionId, requestId) => this.cancel(`${sessionId} ${requestId}`));
  }

  /** The same request, which its client can cancel. A batch of several cannot be: they share a reply. */
  track(dispatched: Dispatched, session: Session | undefined): Dispatched {
    const { call, requests, respond } = dispatched;
    const [request, another] = requests;
    if (session === undefined || request === undefined || another !== undefined) return dispatched;
    const key = `${session.id} ${JSON.stringify(request.id)}`;
    return {
      ...dispatched,
      respond: async (notify) => {
        const tracked = { signal: call.signal, isCancelled: false };
        this.cancelled.delete(key);
        this.underWay.add(key, tracked);
        try {
          const reply = await respond(notify);
          return tracked.isCancelled ? NO_REPLY : reply;
        } finally {
          this.underWay.delete(key, tracked);
        }
      },
    };
  }

  /** Errors: `invalid_arguments` for the stream of a request that was cancelled. */
  refuseCancelled({ id }: Session, requestId: string | number): void {
    if (!this.cancelled.has(`${id} ${JSON.stringify(requestId)}`)) return;
    throw new BatonError('invalid_arguments', 'Last-Event-ID: its request was cancelled by its client.', {
      field: 'Last-Event-ID',
    });
  }

  private cancel(key: string): void {
    this.cancelled.set(key, true);
    for (const request of this.underWay.get(key)) {
      request.isCancelled = true;
      request.signal().abort(REQUEST_CANCELLED);
    }
  }
}

const NO_REPLY: DispatchedReply = { json: '', parts: [], httpError: undefined, status: 202 };

/** Tells every replica of the requests that these messages cancel. Errors: `unavailable`. */
export async function publishCancellations(messages: readonly unknown[], call: Call): Promise<void> {
  const { sessionId } = call;
  if (sessionId === undefined) return;
  for (const message of messages) {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || 'id' in message) continue;
    const requestId = isRecord(message['params']) ? message['params']['requestId'] : undefined;
    if (typeof requestId !== 'string' && typeof requestId !== 'number') continue;
    if (JSON.stringify(requestId).length > MAX_ID_LENGTH) continue;
    await call.tenant.sessions.cancelRequest(sessionId, requestId);
  }
}
