import type { Subscriber } from '../redis/pub-sub.ts';
import type { TenantContext } from './tenant-context.ts';
import { refusal } from '../records/refusal.ts';
import { run } from '../scripts/script.ts';
import { REFRESH_SUBSCRIPTIONS, END_SESSION, SUBSCRIBE, UNSUBSCRIBE } from '../scripts/registry.ts';
import { SESSION_TTL, SUBSCRIPTION_GRACE, SUBSCRIPTION_TTL } from '../records/ttl.ts';

/** What one session may subscribe to: so many resources, with URIs of so many bytes in all. */
const MAX_SUBSCRIPTIONS = 100;
const MAX_SUBSCRIPTION_BYTES = 65_536;

/** How many sessions of a tenant may have subscriptions; of more, those that have held no stream for longest lose theirs. */
const MAX_SUBSCRIBED_SESSIONS = 1_000;

/** How many ended sessions of a tenant are remembered: so many DELETEs, and no more memory. */
const MAX_ENDED_SESSIONS = 10_000;

/**
 * What Redis holds of a tenant's MCP sessions: nothing, until one subscribes or is ended. All else is in the session's
 * id, which is sealed (see the gateway's `sessions`).
 */
export class Sessions {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /**
   * Where too many sessions have subscriptions, one that has held no stream for a while makes room. Errors:
   * `limit_subscriptions`, `session_not_found`.
   */
  async subscribe(id: string, uri: string): Promise<void> {
    let reply = await this.runSubscribe(id, uri, '');
    // The one that was named may be about again, or gone for another: there are ever fewer to name.
    while (reply[0] === 'full') reply = await this.runSubscribe(id, uri, String(reply[1]));
    if (reply[0] !== 'subscribed') throw refusal(reply);
  }

  async unsubscribe(id: string, uri: string): Promise<void> {
    const { connection, keys } = this.context;
    const { session, subscribers } = this.sessionKeys(id);
    await run(connection, UNSUBSCRIBE, { session, subscribers, listeners: keys.listeners }, { id, uri });
  }

  /** What a session that holds a stream is to hear of; it is kept from now on anew. Errors: `session_not_found`. */
  async refreshSubscriptions(id: string): Promise<string[]> {
    const reply = await run(this.context.connection, REFRESH_SUBSCRIPTIONS, this.sessionKeys(id), {
      id,
      life: SUBSCRIPTION_TTL,
    });
    if (reply[0] !== 'ok') throw refusal(reply);
    return reply.slice(1).map(String);
  }

  /** Ends a session: every replica that hears endings refuses it from now on. */
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

  /** From when this resolves `ear` hears the id of each session that is ended in this tenant's shard. Errors: `unavailable`. */
  async onSessionEnded(ear: Subscriber): Promise<void> {
    await this.context.connection.pubSub.subscribe(this.context.keys.shard.endedSessionsChannel, ear);
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
