import { BatonError, type KeyParts } from '@baton/protocol';
import type { Identity } from '@baton/store';
import type { FastifyReply } from 'fastify';
import type { Call } from '../context.ts';
import { Outlet } from './outlet.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { Stream } from './stream.ts';
import { Watch } from './watch.ts';

/** How many streams a tenant may have open on one replica. */
const STREAMS = 1_000;

/** The notification streams that this replica holds, tenant by tenant. */
export class Streams {
  private readonly watches = new Map<string, Watch>();

  constructor(sessions: Sessions) {
    sessions.onEnd((id) => {
      for (const watch of this.watches.values()) watch.endSession(id);
    });
  }

  /**
   * Answers with a session's stream, for a caller that was admitted. It stands until its client, a later stream of the
   * session, the session's end, the admission's end or a drain ends it.
   * Errors: `limit_streams`, `session_not_found`, `unavailable`, those of an admission that ended meanwhile.
   */
  async open(
    session: Session,
    by: { readonly call: Call; readonly key: KeyParts; readonly identity: Identity },
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { call, key, identity } = by;
    const watch = this.watchOf(call);
    // A client that comes again before its old stream is known to be dead takes that one's place.
    if (watch.size >= STREAMS && !watch.has(session.id)) {
      throw new BatonError(
        'limit_streams',
        `The tenant has ${STREAMS} notification streams open here. Close some, then repeat.`,
        { limit: 'streams', most: STREAMS, retryAfterMs: 1_000 },
      );
    }
    const stream = new Stream(session, { tenant: call.tenant, key, identity }, watch.audience);
    const over = () => {
      watch.remove(stream);
      if (watch.size === 0 && this.watches.get(call.tenant.id) === watch) this.watches.delete(call.tenant.id);
    };
    try {
      await watch.add(stream);
    } catch (error) {
      over();
      throw error;
    }
    reply.hijack();
    const signal = call.signal();
    stream.open(new Outlet(reply.raw, reply.getHeaders() as Record<string, string>, over));
    // A drain has nothing that a stream would still wait for: its client goes on at another replica.
    if (signal.aborted) stream.end();
    else signal.addEventListener('abort', () => stream.end());
    return reply;
  }

  private watchOf({ tenant }: Call): Watch {
    const watch = this.watches.get(tenant.id) ?? new Watch(tenant);
    this.watches.set(tenant.id, watch);
    return watch;
  }
}
