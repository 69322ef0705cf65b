import { BatonError, type ApiKeyParts } from '@baton/protocol';
import type { Identity, TenantStore } from '@baton/store';
import type { FastifyReply } from 'fastify';
import type { Call } from '../call/call.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionTokens } from '../sessions/session-tokens.ts';
import { NotificationStream } from './notification-stream.ts';
import { NotificationWriter } from './notification-writer.ts';
import { TenantStreams } from './tenant-streams.ts';

/** How many streams a tenant may have open on one replica. */
const MAX_STREAMS_PER_TENANT = 1_000;

/** The notification streams that this replica holds, tenant by tenant. */
export class StreamRegistry {
  private readonly tenants = new Map<string, TenantStreams>();

  constructor(sessions: SessionTokens) {
    sessions.onEnd((id) => {
      for (const streams of this.tenants.values()) streams.closeSession(id);
    });
  }

  /**
   * Answers with a session's stream, for a caller that was admitted. It stays open until its client, a later stream of
   * the session, the session's end, the admission's end or a drain ends it.
   * Errors: `limit_streams`, `session_not_found`, `unavailable`, those of an admission that ended meanwhile.
   */
  async open(
    session: Session,
    by: { readonly call: Call; readonly key: ApiKeyParts; readonly identity: Identity },
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { call, key, identity } = by;
    const { tenant } = call;
    const streams = this.streamsOf(tenant);
    // A client that comes again before its old stream is known to be dead takes that one's place.
    if (streams.size >= MAX_STREAMS_PER_TENANT && !streams.has(session.id)) {
      throw new BatonError(
        'limit_streams',
        `The tenant has ${MAX_STREAMS_PER_TENANT} notification streams open here. Close some, then repeat.`,
        { limit: 'streams', most: MAX_STREAMS_PER_TENANT, retryAfterMs: 1_000 },
      );
    }
    const stream = new NotificationStream(session, { tenant, key, identity }, streams.index);
    const remove = () => {
      streams.remove(stream);
      if (streams.size === 0 && this.tenants.get(tenant.id) === streams) this.tenants.delete(tenant.id);
    };
    try {
      await streams.add(stream);
    } catch (error) {
      remove();
      throw error;
    }
    reply.hijack();
    const signal = call.signal();
    stream.open(new NotificationWriter(reply.raw, reply.getHeaders() as Record<string, string>, remove));
    // A drain closes streams at once: clients open them again at another replica.
    if (signal.aborted) stream.close();
    else signal.addEventListener('abort', () => stream.close());
    return reply;
  }

  private streamsOf(tenant: TenantStore): TenantStreams {
    const streams = this.tenants.get(tenant.id) ?? new TenantStreams(tenant);
    this.tenants.set(tenant.id, streams);
    return streams;
  }
}
