import { BatonError } from '@baton/protocol';
import type { Identity, Store, TenantStore } from '@baton/store';
import type { FastifyReply } from 'fastify';
import type { Call } from '../call/call.ts';
import type { SessionTokens } from '../sessions/session-tokens.ts';
import { NotificationStream } from './notification-stream.ts';
import { type InTurn, NotificationWriter, type StreamFormat } from './notification-writer.ts';
import type { StreamHolder } from './stream-holder.ts';
import { StreamRateLimiter } from './stream-rate-limiter.ts';
import type { StreamSource } from './stream-source.ts';
import { TenantStreams } from './tenant-streams.ts';

/** How many streams a tenant may have open on one replica. Where they are all open, its keys share them evenly. */
const MAX_STREAMS_PER_TENANT = 1_000;

/** The notification streams that this replica holds, tenant by tenant. */
export class StreamRegistry {
  private readonly tenants = new Map<string, TenantStreams>();
  private readonly rateLimiter = new StreamRateLimiter();

  constructor(sessions: SessionTokens) {
    sessions.onEnd((id) => {
      for (const streams of this.tenants.values()) streams.closeSession(id);
    });
  }

  /** How many are open. */
  get size(): number {
    let open = 0;
    for (const streams of this.tenants.values()) open += streams.size;
    return open;
  }

  /**
   * Answers with a stream of a session, or of a request, for a caller that was admitted. It stays open until its client, a later
   * stream of the session, the session's end, the admission's end or a drain ends it.
   * Errors: `limit_streams`, `session_not_found`, `unavailable`, those of an admission that ended meanwhile.
   */
  async open(
    source: StreamSource,
    by: { readonly call: Call; readonly holder: StreamHolder; readonly identity: Identity },
    reply: FastifyReply,
    format: StreamFormat,
  ): Promise<FastifyReply> {
    const { call, holder, identity } = by;
    const { tenant } = call;
    const streams = this.streamsOf(tenant, call.services.store);
    // A client that comes again before its old stream is known to be dead takes that one's place.
    const isFull = streams.size >= MAX_STREAMS_PER_TENANT && !streams.has(source.id);
    if (isFull && !streams.makeRoom(holder)) {
      throw new BatonError(
        'limit_streams',
        `The tenant has ${MAX_STREAMS_PER_TENANT} notification streams open here, and this key its share of them. Close some, then repeat.`,
        { limit: 'streams', most: MAX_STREAMS_PER_TENANT, retryAfterMs: 1_000 },
      );
    }
    const stream = new NotificationStream(source, { holder, identity }, streams.index);
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
    const headers = reply.getHeaders() as Record<string, string>;
    const inTurn: InTurn = (write) => this.rateLimiter.run(tenant.id, write);
    stream.open(new NotificationWriter(reply.raw, headers, format, inTurn, remove));
    // A drain closes streams at once: clients open them again at another replica.
    if (signal.aborted) stream.close();
    else signal.addEventListener('abort', () => stream.close());
    return reply;
  }

  private streamsOf(tenant: TenantStore, { admissionChanges }: Store): TenantStreams {
    const streams = this.tenants.get(tenant.id) ?? new TenantStreams(tenant, admissionChanges);
    this.tenants.set(tenant.id, streams);
    return streams;
  }
}
