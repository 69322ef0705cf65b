import type { KeyParts } from '@baton/protocol';
import { type Subscriber, SESSION_TTL, type Store, type TenantStore, sessionNotFound } from '@baton/store';
import type { InitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { BoundedMap } from './bounded-map.ts';
import { Seal } from './seal.ts';
import { formatSession, createSession, parseSession, type Session } from './session.ts';

/** How many sessions this replica knows at once; one that it forgot is opened again. */
const KEPT = 10_000;

/** How many keys of one principal are remembered to be its: each rotation makes another. */
const KEYS_KEPT = 16;

/** For so long a session is believed not to have ended without asking, should its ending never be heard of. */
const BELIEVED_MS = 10_000;

/** A session that was opened here: which keys showed to be its principal's, and when it was known not to have ended. */
interface Kept {
  readonly session: Session;
  readonly keys: Set<string>;
  seenAt: number;
}

/**
 * The sessions that this replica knows. One that it knows costs a look into a map; the first time it is shown here it
 * is opened, its key admitted, and Redis asked whether it has ended. From then on this replica hears of its end.
 */
export class SessionCache implements Subscriber {
  private readonly seal: Seal;
  private readonly kept = new BoundedMap<string, Kept>(KEPT);
  private readonly ended = new BoundedMap<string, true>(KEPT);
  private readonly endings = new Set<(id: string) => void>();
  private hearing = true;
  /** What was seen to stand before this may have ended unheard. */
  private since = -1;

  constructor(store: Pick<Store, 'sealKeys'>) {
    this.seal = new Seal(store.sealKeys('session'));
  }

  /** The session behind a sealed id, if nothing need be asked to be sure of it. */
  verified(sealed: string, key: KeyParts): Session | undefined {
    const kept = this.kept.get(sealed);
    if (kept === undefined || !this.hearing || kept.seenAt <= this.since) return undefined;
    if (performance.now() - kept.seenAt > BELIEVED_MS) return undefined;
    const { session, keys } = kept;
    const isTheirs = session.tenant === key.tenant && keys.has(key.id);
    return isTheirs && this.ended.get(session.id) === undefined ? session : undefined;
  }

  /**
   * The session behind a sealed id, for the principal that calls and was admitted.
   * Errors: `session_not_found` for what was not sealed here, is another principal's or has ended; `unavailable`.
   */
  async verify(sealed: string, key: KeyParts, principal: string, tenant: TenantStore): Promise<Session> {
    const kept = this.kept.get(sealed) ?? (await this.unseal(sealed));
    if (kept === undefined) throw sessionNotFound();
    const { session, keys } = kept;
    if (session.tenant !== key.tenant || session.principal !== principal) throw sessionNotFound();
    if (Date.now() - session.issuedAt > SESSION_TTL) throw sessionNotFound();
    // Listening first: an end that comes after the look is heard of.
    await tenant.sessions.onSessionEnded(this);
    const now = performance.now();
    if (this.ended.get(session.id) || (await tenant.sessions.hasEnded(session.id))) {
      this.ended.set(session.id, true);
      throw sessionNotFound();
    }
    kept.seenAt = now;
    if (keys.size >= KEYS_KEPT) keys.clear();
    keys.add(key.id);
    this.kept.set(sealed, kept);
    return session;
  }

  /** A new session's sealed id, for a principal that was admitted. */
  async issue(
    key: KeyParts,
    principal: string,
    params: InitializeRequest['params'],
    tenant: TenantStore,
  ): Promise<string> {
    const session = createSession({ tenant: key.tenant, principal }, params);
    const sealed = await this.seal.seal(formatSession(session));
    await tenant.sessions.onSessionEnded(this);
    this.kept.set(sealed, { session, keys: new Set([key.id]), seenAt: performance.now() });
    return sealed;
  }

  /** Calls `ear` with the id of each session that ends. */
  onEnd(ear: (id: string) => void): void {
    this.endings.add(ear);
  }

  onMessage(id: string): void {
    this.ended.set(id, true);
    for (const ear of this.endings) ear(id);
  }

  onDisconnect(): void {
    this.hearing = false;
  }

  /** Endings were missed: whatever is shown from now on is asked for once. */
  onReconnect(): void {
    this.since = performance.now();
    this.hearing = true;
  }

  private async unseal(sealed: string): Promise<Kept | undefined> {
    const text = await this.seal.open(sealed);
    const session = text === undefined ? undefined : parseSession(text);
    return session && { session, keys: new Set(), seenAt: -1 };
  }
}
