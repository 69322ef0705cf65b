import type { Ear } from './channels.ts';
import type { Place } from './place.ts';
import { refusal } from './refusal.ts';
import { run } from './scripts/script.ts';
import { REFRESH_SUBSCRIPTIONS, END_SESSION, SUBSCRIBE, UNSUBSCRIBE } from './scripts/registry.ts';
import { SESSION_LIFE, SUBSCRIPTION_GRACE, SUBSCRIPTION_LIFE } from './ttl.ts';

/** What one session may subscribe to: so many resources, with URIs of so many bytes in all. */
const SUBSCRIPTIONS = 100;
const SUBSCRIPTION_BYTES = 65_536;

/** How many sessions of a tenant may have subscriptions; of more, those that have held no stream for longest lose theirs. */
const SUBSCRIBED_SESSIONS = 1_000;

/** How many ended sessions of a tenant are remembered: so many DELETEs, and no more memory. */
const ENDED_SESSIONS = 10_000;

/**
 * What Redis holds of a tenant's MCP sessions: nothing, until one subscribes or is ended. All else is in the session's
 * id, which is sealed (see the gateway's `sessions`).
 */
export class Sessions {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  /**
   * Where too many sessions have subscriptions, one that has held no stream for a while makes room. Errors:
   * `limit_subscriptions`, `session_not_found`.
   */
  async subscribe(id: string, uri: string): Promise<void> {
    let reply = await this.subscribeFor(id, uri, '');
    // The one that was named may be about again, or gone for another: there are ever fewer to name.
    while (reply[0] === 'full') reply = await this.subscribeFor(id, uri, String(reply[1]));
    if (reply[0] !== 'subscribed') throw refusal(reply);
  }

  async unsubscribe(id: string, uri: string): Promise<void> {
    const { connection, keys } = this.place;
    const { session, subscribers } = this.records(id);
    await run(connection, UNSUBSCRIBE, { session, subscribers, listeners: keys.listeners }, { id, uri });
  }

  /** What a session that holds a stream is to hear of; it is kept from now on anew. Errors: `session_not_found`. */
  async subscriptions(id: string): Promise<string[]> {
    const reply = await run(this.place.connection, REFRESH_SUBSCRIPTIONS, this.records(id), { id, life: SUBSCRIPTION_LIFE });
    if (reply[0] !== 'ok') throw refusal(reply);
    return reply.slice(1).map(String);
  }

  /** Ends a session: every replica that hears endings refuses it from now on. */
  async end(id: string): Promise<void> {
    const { connection, keys } = this.place;
    await run(connection, END_SESSION, this.records(id), {
      id,
      most: ENDED_SESSIONS,
      life: SESSION_LIFE,
      channel: keys.shard.endings,
    });
  }

  async hasEnded(id: string): Promise<boolean> {
    const { connection, keys } = this.place;
    return (await connection.command((client) => client.zscore(keys.ended, id))) !== null;
  }

  /** From when this resolves `ear` hears the id of each session that is ended in this tenant's shard. Errors: `unavailable`. */
  async hearEndings(ear: Ear): Promise<void> {
    await this.place.connection.channels.join(this.place.keys.shard.endings, ear);
  }

  private subscribeFor(id: string, uri: string, idle: string): Promise<unknown[]> {
    const { connection, keys } = this.place;
    const limits = {
      subscriptions: SUBSCRIPTIONS,
      bytes: SUBSCRIPTION_BYTES,
      sessions: SUBSCRIBED_SESSIONS,
    };
    return run(
      connection,
      SUBSCRIBE,
      { ...this.records(id), listeners: keys.listeners, idle: keys.session(idle) },
      { id, uri, ...limits, life: SUBSCRIPTION_LIFE, grace: SUBSCRIPTION_GRACE, idle },
    );
  }

  private records(id: string) {
    const { keys } = this.place;
    return { session: keys.session(id), subscribers: keys.subscribers, ended: keys.ended };
  }
}
