import type { Subscriber } from '../redis/pub-sub.ts';
import type { TenantContext } from './tenant-context.ts';
import { refusal } from '../records/refusal.ts';
import { run } from '../scripts/script.ts';
import { REFRESH_SUBSCRIPTIONS, END_SESSION, SUBSCRIBE, UNSUBSCRIBE } from '../scripts/registry.ts';
import { SESSION_TTL, SUBSCRIPTION_GRACE, SUBSCRIPTION_TTL } from '../records/ttl.ts';

/** A session may subscribe to so many resources, with URIs of so many bytes in all. */
const MAX_SUBSCRIPTIONS = 100;
const MAX_SUBSCRIPTION_BYTES = 65_536;

/**
 * So many sessions of a tenant may have subscriptions; of more, those that had no stream for longest lose theirs, or else
 * those of the key that has most: keys share them evenly.
 */
const MAX_SUBSCRIBED_SESSIONS = 1_000;

/** So many ended sessions of a tenant are remembered, the latest ones, which bounds the memory. */
const MAX_ENDED_SESSIONS = 10_000;

/**
 * The records of a tenant's MCP sessions. A session has one only once it subscribes or is deleted: all else is in its
 * sealed id (see the gateway's `sessions`).
 */
export class Sessions {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /**
   * Subscribes a session to a resource. When too many sessions have subscriptions, the one that had no stream for longest
   * loses its own, after SUBSCRIPTION_GRACE, or one of a key that has more than its share. Errors: `limit_subscriptions`, `session_not_found`.
   */
  async subscribe(id: string, uri: string): Promise<void> {
    let reply = await this.runSubscribe(id, uri, '');
    // The named session may have a stream again, or be evicted already: each reply names another, until none is left.
    while (reply[0] === 'full') reply = await this.runSubscribe(id, uri, String(reply[1]));
    if (reply[0] !== 'subscribed') throw refusal(reply);
  }

  async unsubscribe(id: string, uri: string): Promise<void> {
    const { connection, keys } = this.context;
    const { session, subscribers } = this.sessionKeys(id);
    await run(connection, UNSUBSCRIBE, { session, subscribers, listeners: keys.listeners }, { id, uri });
  }

  /** The subscriptions of a session that has a stream; renews their lifetime. Errors: `session_not_found`. */
  async refreshSubscriptions(id: string): Promise<string[]> {
    const reply = await run(this.context.connection, REFRESH_SUBSCRIPTIONS, this.sessionKeys(id), {
      id,
      life: SUBSCRIPTION_TTL,
    });
    if (reply[0] !== 'ok') throw refusal(reply);
    return reply.slice(1).map(String);
  }

  /** Ends a session, and publishes that to the replicas, which refuse it from then on. */
  async end(id: string): Promise<void> {
    const { connection, keys } = this.context;
    await run(connection, END_SESSION, this.sessionKeys(id), {
      id,
      limit: MAX_ENDED_SESSIONS,
      life: SESSION_TTL,
      channel: keys.shard.endedSessionsChannel,
    });
  }

  async hasEnded(id: string): Promise<boolean> {
    const { connection, keys } = this.context;
    return (await connection.command((client) => client.zscore(keys.ended, id))) !== null;
  }

  /** Once this resolves, `subscriber` receives the id of each session that ends in this tenant's shard. Errors: `unavailable`. */
  async onSessionEnded(subscriber: Subscriber): Promise<void> {
    await this.context.connection.pubSub.subscribe(this.context.keys.shard.endedSessionsChannel, subscriber);
  }

  private runSubscribe(id: string, uri: string, idle: string): Promise<unknown[]> {
    const { connection, keys } = this.context;
    const limits = {
      subscriptions: MAX_SUBSCRIPTIONS,
      bytes: MAX_SUBSCRIPTION_BYTES,
      sessions: MAX_SUBSCRIBED_SESSIONS,
    };
    return run(
      connection,
      SUBSCRIBE,
      { ...this.sessionKeys(id), listeners: keys.listeners, idle: keys.session(idle) },
      { id, uri, ...limits, life: SUBSCRIPTION_TTL, grace: SUBSCRIPTION_GRACE, idle },
    );
  }

  private sessionKeys(id: string) {
    const { keys } = this.context;
    return { session: keys.session(id), subscribers: keys.subscribers, ended: keys.ended };
  }
}
