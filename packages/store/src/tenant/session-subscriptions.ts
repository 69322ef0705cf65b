import type { TenantContext } from './tenant-context.ts';
import type { Identity } from '../identity/identity.ts';
import { admissionRecheckArgs, admissionRecheckKeys } from '../identity/admission-recheck-args.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { REFRESH_SUBSCRIPTIONS, SUBSCRIBE_SESSION, UNSUBSCRIBE_SESSION } from '../scripts/registry.ts';
import { SUBSCRIPTION_GRACE, SUBSCRIPTION_TTL } from '../records/durations.ts';

/** A session may subscribe to so many resources, with URIs of so many bytes in all. */
const MAX_SUBSCRIPTIONS = 100;
const MAX_SUBSCRIPTION_BYTES = 65_536;

/**
 * So many sessions of a tenant may have subscriptions; of more, those that had no stream for longest lose theirs, or else
 * those of the key that has most: keys share them evenly.
 */
const MAX_SUBSCRIBED_SESSIONS = 1_000;

/** The resources that a tenant's MCP sessions are subscribed to. All else of a session is in its sealed id (see the gateway's `sessions`). */
export class SessionSubscriptions {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /**
   * Subscribes a session to a resource. When too many sessions have subscriptions, the one that had no stream for longest
   * loses its own, after SUBSCRIPTION_GRACE, or one of a key that has more than its share. Errors: `limit_subscriptions`,
   * `session_not_found`, those of an admission that ended.
   */
  async subscribe(identity: Identity, id: string, uri: string): Promise<void> {
    let reply = await this.runSubscribe(identity, id, uri, '');
    // The named session may have a stream again, or be evicted already: each reply names another, until none is left.
    while (reply[0] === 'full') reply = await this.runSubscribe(identity, id, uri, String(reply[1]));
    if (reply[0] !== 'subscribed') throw refusalError(reply);
  }

  async unsubscribe(id: string, uri: string): Promise<void> {
    const { connection, keys } = this.context;
    const { session, subscribers } = this.sessionKeys(id);
    await runScript(
      connection,
      UNSUBSCRIBE_SESSION,
      { session, subscribers, activeChangeChannel: keys.activeChangeChannel },
      { id, uri },
    );
  }

  /** The subscriptions of a session that has a stream; renews their lifetime. Errors: `session_not_found`. */
  async refresh(id: string): Promise<string[]> {
    const reply = await runScript(this.context.connection, REFRESH_SUBSCRIPTIONS, this.sessionKeys(id), {
      id,
      life: SUBSCRIPTION_TTL,
    });
    if (reply[0] !== 'ok') throw refusalError(reply);
    return reply.slice(1).map(String);
  }

  private runSubscribe(identity: Identity, id: string, uri: string, idle: string): Promise<unknown[]> {
    const { connection, keys } = this.context;
    const limits = {
      subscriptions: MAX_SUBSCRIPTIONS,
      bytes: MAX_SUBSCRIPTION_BYTES,
      sessions: MAX_SUBSCRIBED_SESSIONS,
    };
    return runScript(
      connection,
      SUBSCRIBE_SESSION,
      {
        ...admissionRecheckKeys(identity, keys),
        ...this.sessionKeys(id),
        activeChangeChannel: keys.activeChangeChannel,
        idle: keys.session(idle),
      },
      {
        ...admissionRecheckArgs(identity),
        id,
        uri,
        ...limits,
        life: SUBSCRIPTION_TTL,
        grace: SUBSCRIPTION_GRACE,
        idle,
      },
    );
  }

  private sessionKeys(id: string) {
    const { keys } = this.context;
    return { session: keys.session(id), subscribers: keys.subscribedSessions, ended: keys.endedSessions };
  }
}
