import { TenantPart } from './tenant-context.ts';
import type { Identity } from '../identity/identity.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
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
export class SessionSubscriptions extends TenantPart {
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
    const { keys } = this.context;
    await runScript(this.context, UNSUBSCRIBE_SESSION, { session: keys.session(id) }, { id, uri });
  }

  /** The subscriptions of a session that has a stream; renews their lifetime. Errors: `session_not_found`. */
  async refresh(id: string): Promise<string[]> {
    const reply = await runScript(
      this.context,
      REFRESH_SUBSCRIPTIONS,
      { session: this.context.keys.session(id) },
      {
        id,
        life: SUBSCRIPTION_TTL,
      },
    );
    if (reply[0] !== 'ok') throw refusalError(reply);
    return reply.slice(1).map(String);
  }

  private runSubscribe(identity: Identity, id: string, uri: string, idle: string): Promise<unknown[]> {
    const { keys } = this.context;
    const limits = {
      subscriptions: MAX_SUBSCRIPTIONS,
      bytes: MAX_SUBSCRIPTION_BYTES,
      sessions: MAX_SUBSCRIBED_SESSIONS,
    };
    return runScript(
      this.context,
      SUBSCRIBE_SESSION,
      { credential: credentialOf(identity, keys), session: keys.session(id), idle: keys.session(idle) },
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
}
