import { BatonError, type ErrorCode, type KeyParts } from '@baton/protocol';
import {
  SUBSCRIPTION_REFRESH_INTERVAL,
  type Change,
  type Identity,
  CHANGE_FEED_RENEW_INTERVAL,
  type TenantStore,
} from '@baton/store';
import { SubscriptionIndex } from './subscription-index.ts';
import { MultiMap } from './multi-map.ts';
import type { NotificationStream } from './notification-stream.ts';

/** Each so many times that listening is renewed, those who hold a stream are admitted anew. */
const ADMIT_EVERY = 3;

/** And each so many times what they subscribed to is kept anew. */
const ATTUNE_EVERY = SUBSCRIPTION_REFRESH_INTERVAL / CHANGE_FEED_RENEW_INTERVAL;

/** One tenant's streams on this replica. It listens to the tenant's changes from the first to the last of them. */
export class TenantStreams {
  readonly audience = new SubscriptionIndex();
  private readonly tenant: TenantStore;
  /** By session: there is one stream of each. */
  private readonly streams = new Map<string, NotificationStream>();
  /** Those that missed something and could not look yet, and those whose subscriptions are due to be kept. */
  private readonly behind = new Set<NotificationStream>();
  private readonly due = new Set<NotificationStream>();
  /** Whoever was admitted before may not be now, and could not be asked for yet. */
  private unadmitted = false;
  private admitting = false;
  private listening: Promise<() => void> | undefined;
  private renewal: NodeJS.Timeout | undefined;
  private renewals = 0;

  constructor(tenant: TenantStore) {
    this.tenant = tenant;
  }

  get size(): number {
    return this.streams.size;
  }

  has(session: string): boolean {
    return this.streams.has(session);
  }

  /**
   * Adds a stream in place of the session's earlier one; it hears of all that changes after this resolves. Errors:
   * those of the admission, `session_not_found`, `unavailable`.
   */
  async add(stream: NotificationStream): Promise<void> {
    const earlier = this.streams.get(stream.session.id);
    // Set before the earlier one ends: this watch must not take that one's end for its last stream's.
    this.streams.set(stream.session.id, stream);
    earlier?.close();
    this.renewal ??= setInterval(() => void this.renew(), CHANGE_FEED_RENEW_INTERVAL).unref();
    await this.listen();
    await this.tenant.changes.publishStreamOpened(stream.session.id, stream.id);
    await stream.readSubscriptions();
    // What was revoked since its request was admitted, and before someone listened here, was told to nobody.
    stream.setIdentity(await this.admit(stream.key));
  }

  remove(stream: NotificationStream): void {
    stream.close();
    this.behind.delete(stream);
    this.due.delete(stream);
    if (this.streams.get(stream.session.id) === stream) this.streams.delete(stream.session.id);
    if (this.streams.size > 0) return;
    clearInterval(this.renewal);
    this.renewal = undefined;
    void this.listening?.then(
      (leave) => leave(),
      () => {},
    );
    this.listening = undefined;
  }

  /** Ends the stream of a session that was ended. */
  closeSession(id: string): void {
    this.streams.get(id)?.close();
  }

  onChange(change: Change): void {
    switch (change.kind) {
      case 'admission':
        void this.admitAll();
        return;
      case 'subscription':
      case 'stream':
        this.streams.get(change.session)?.onSessionChange(change);
        return;
      case 'project':
      case 'task':
        this.audience.notify(change);
    }
  }

  /** Changes were missed, and whoever was not to listen any more may have been among them. */
  onReconnect(): void {
    for (const stream of this.streams.values()) this.behind.add(stream);
    void this.admitAll();
    void this.catchUp();
  }

  private async renew(): Promise<void> {
    // Counted though Redis may not be reached: what is due comes round whatever fails.
    const nth = ++this.renewals;
    try {
      if (!(await this.tenant.changes.renewSubscription())) this.onReconnect();
    } catch {
      // the next one does it
    }
    if (this.unadmitted || nth % ADMIT_EVERY === 0) await this.admitAll();
    if (nth % ATTUNE_EVERY === 0) for (const stream of this.streams.values()) this.due.add(stream);
    await this.catchUp();
  }

  private async listen(): Promise<void> {
    const listening = this.listening ?? this.tenant.changes.subscribe(this);
    this.listening = listening;
    try {
      await listening;
    } catch (error) {
      if (this.listening === listening) this.listening = undefined;
      throw error;
    }
  }

  private async catchUp(): Promise<void> {
    await this.look(this.behind, (stream) => stream.notifyAll());
    await this.look(this.due, () => {});
  }

  /** Has each of these look for itself. What Redis cannot do for one it cannot for the next: they do it at the next renewal. */
  private async look(
    streams: Set<NotificationStream>,
    looked: (stream: NotificationStream) => void,
  ): Promise<void> {
    for (const stream of streams) {
      // Before it looks: what it misses meanwhile puts it in again.
      streams.delete(stream);
      try {
        await stream.readSubscriptions();
        looked(stream);
      } catch (error) {
        if (isCode(error, ENDED)) {
          stream.close();
          continue;
        }
        if (this.streams.get(stream.session.id) === stream) streams.add(stream);
        return;
      }
    }
  }

  /**
   * Looks again at whether those who hold a stream may: whoever may not call any more may not listen either. What comes up
   * meanwhile is looked at once more, what cannot be asked for now at the next renewal.
   */
  private async admitAll(): Promise<void> {
    this.unadmitted = true;
    if (this.admitting) return;
    this.admitting = true;
    while (this.unadmitted) {
      this.unadmitted = false;
      // Each key is asked for once, however many streams it opened.
      const byKey = new MultiMap<string, NotificationStream>();
      for (const stream of this.streams.values()) byKey.add(stream.key.text, stream);
      const told = [...byKey.sets()].map((streams) => this.admitEach(streams));
      if (!(await Promise.all(told)).includes(false)) continue;
      this.unadmitted = true;
      break;
    }
    this.admitting = false;
  }

  /** Admits the streams of one key, or ends them; false when that cannot be told now. */
  private async admitEach(streams: ReadonlySet<NotificationStream>): Promise<boolean> {
    const [first] = streams;
    if (first === undefined) return true;
    try {
      const identity = await this.admit(first.key);
      for (const stream of streams) stream.setIdentity(identity);
    } catch (error) {
      if (!isCode(error, UNADMITTED)) return false;
      for (const stream of streams) stream.close();
    }
    return true;
  }

  private admit(key: KeyParts): Promise<Identity> {
    return this.tenant.caller(key, 0).recheck(['mcp', 'agent']);
  }
}

const UNADMITTED: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
]);

const ENDED: ReadonlySet<ErrorCode> = new Set(['session_not_found']);

function isCode(error: unknown, codes: ReadonlySet<ErrorCode>): boolean {
  return error instanceof BatonError && codes.has(error.code);
}
