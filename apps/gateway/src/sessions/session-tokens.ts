import type { ApiKeyParts } from '@baton/protocol';
import {
  type Seal,
  SESSION_TTL,
  type Store,
  type Subscriber,
  sessionNotFoundError,
  type TenantStore,
} from '@baton/store';
import type { InitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { LRUCache } from 'lru-cache';
import { createSession, formatSession, parseSession, type Session } from './session.ts';

/** What session ids are sealed for. */
const PURPOSE = 'session';

/** No session's id is longer. */
const MAX_SEALED_LENGTH = 6_000;

/** How many sessions this replica remembers; one that it forgot is unsealed again. */
const MAX_SESSIONS = 10_000;

/** How many keys of one principal are remembered to be its: each rotation makes another. */
const MAX_KEYS_PER_SESSION = 16;

/** For so long a session counts as not ended without asking Redis: the bound on an end that was published but never received. */
const TRUSTED_MS = 10_000;

/** A message of `Sessions.onChange`. */
const SESSION_CHANGE = /^([^\s/]*)(?:\/(.*)| (\S+))?/s;

/** A session that was unsealed here, the keys that proved to be its principal's, and when Redis last knew of no end of it. */
interface CachedSession {
  readonly session: Session;
  readonly keys: Set<string>;
  verifiedAt: number;
}

/** Receives the id of a session, and the JSON of the id of a request that its client has cancelled. */
type CancelListener = (sessionId: string, requestId: string) => void;

/** Whether this replica receives the ends of sessions. It may have missed the end of a session verified before `since`. */
type EndingsFeed = { readonly kind: 'connected'; readonly since: number } | { readonly kind: 'disconnected' };

/**
 * The sessions that this replica has verified. A known one costs a look into a map; the first time it is shown here it is
 * unsealed, and Redis is asked whether it has ended. From then on this replica receives its end.
 */
export class SessionTokens implements Subscriber {
  private readonly seal: Seal;
  private readonly sessions = new LRUCache<string, CachedSession>({
    max: MAX_SESSIONS,
    dispose: ({ session }) => this.byId.delete(session.id),
  });
  /** The same by their ids. */
  private readonly byId = new Map<string, CachedSession>();
  private readonly endedIds = new LRUCache<string, true>({ max: MAX_SESSIONS });
  private readonly endListeners = new Set<(sessionId: string) => void>();
  private readonly cancelListeners = new Set<CancelListener>();
  private feed: EndingsFeed = { kind: 'connected', since: -1 };

  constructor(store: Pick<Store, 'seal'>) {
    this.seal = store.seal(PURPOSE);
  }

  /** The session behind a sealed id, if nothing need be asked to be sure of it. */
  findVerified(sealed: string, key: ApiKeyParts): Session | undefined {
    const cached = this.sessions.get(sealed);
    if (cached === undefined || this.feed.kind === 'disconnected') return undefined;
    const { session, keys, verifiedAt } = cached;
    if (verifiedAt <= this.feed.since || performance.now() - verifiedAt > TRUSTED_MS) return undefined;
    const isTheirs = session.tenant === key.tenant && keys.has(key.id);
    return isTheirs && this.endedIds.get(session.id) === undefined ? session : undefined;
  }

  /**
   * The session behind a sealed id, for the principal that calls and was admitted.
   * Errors: `session_not_found` for what was not sealed here, is another principal's or has ended; `unavailable`.
   */
  async verify(sealed: string, key: ApiKeyParts, principal: string, tenant: TenantStore): Promise<Session> {
    const cached = this.sessions.get(sealed) ?? this.unseal(sealed);
    if (cached === undefined) throw sessionNotFoundError();
    const { session, keys } = cached;
    if (session.tenant !== key.tenant || session.principal !== principal) throw sessionNotFoundError();
    if (Date.now() - session.issuedAt > SESSION_TTL) throw sessionNotFoundError();
    // Subscribed first: an end after Redis was asked is received.
    await tenant.sessions.onChange(this);
    const now = performance.now();
    const [hasEnded, logLevel] = await Promise.all([
      this.endedIds.get(session.id) ?? tenant.sessions.hasEnded(session.id),
      tenant.sessions.logLevel(session.id),
    ]);
    if (hasEnded) {
      this.endedIds.set(session.id, true);
      throw sessionNotFoundError();
    }
    cached.verifiedAt = now;
    session.logLevel = logLevel;
    if (keys.size >= MAX_KEYS_PER_SESSION) keys.clear();
    keys.add(key.id);
    this.remember(sealed, cached);
    return session;
  }

  /** A new session's sealed id, for a principal that was admitted. */
  async issue(
    key: ApiKeyParts,
    principal: string,
    params: InitializeRequest['params'],
    tenant: TenantStore,
  ): Promise<string> {
    const session = createSession({ tenant: key.tenant, principal }, key.id, params);
    const sealed = this.seal.seal(formatSession(session), PURPOSE);
    await tenant.sessions.onChange(this);
    this.remember(sealed, { session, keys: new Set([key.id]), verifiedAt: performance.now() });
    return sealed;
  }

  /** Calls `listener` with the id of each session that ends. */
  onEnd(listener: (sessionId: string) => void): void {
    this.endListeners.add(listener);
  }

  /** Calls `listener` with each request that the client of a session known here has cancelled, at whichever replica. */
  onCancel(listener: CancelListener): void {
    this.cancelListeners.add(listener);
  }

  onMessage(message: string): void {
    const [, sessionId = '', requestId, logLevel] = SESSION_CHANGE.exec(message) ?? [];
    if (requestId !== undefined) {
      for (const listener of this.cancelListeners) listener(sessionId, requestId);
      return;
    }
    if (logLevel !== undefined) {
      const cached = this.byId.get(sessionId);
      if (cached !== undefined) cached.session.logLevel = Number(logLevel);
      return;
    }
    this.endedIds.set(sessionId, true);
    for (const listener of this.endListeners) listener(sessionId);
  }

  onDisconnect(): void {
    this.feed = { kind: 'disconnected' };
  }

  /** Ends were missed: Redis is asked once of whatever is shown from now on. */
  onReconnect(): void {
    this.feed = { kind: 'connected', since: performance.now() };
  }

  private remember(sealed: string, cached: CachedSession): void {
    this.sessions.set(sealed, cached);
    this.byId.set(cached.session.id, cached);
  }

  private unseal(sealed: string): CachedSession | undefined {
    if (sealed.length > MAX_SEALED_LENGTH) return undefined;
    const text = this.seal.open(sealed, PURPOSE)?.text;
    const session = text === undefined ? undefined : parseSession(text);
    return session && { session, keys: new Set(), verifiedAt: -1 };
  }
}
