import { randomUUID } from 'node:crypto';
import type { KeyParts } from '@baton/protocol';
import type { Change, Identity, TenantStore } from '@baton/store';
import type { SubscriptionIndex, Subscriber, Subscription } from './subscription-index.ts';
import { RESOURCE_LIST, type NotificationWriter } from './notification-writer.ts';
import type { Session } from '../sessions/session.ts';

type SubscriptionChange = Extract<Change, { kind: 'subscription' }>;
type SessionChange = SubscriptionChange | Extract<Change, { kind: 'stream' }>;

/** One session's notification stream, and what is to be told on it. */
export class NotificationStream implements Subscriber {
  readonly id = randomUUID();
  readonly session: Session;
  readonly key: KeyParts;
  private readonly tenant: TenantStore;
  private readonly audience: SubscriptionIndex;
  private who: Identity;
  private outlet: NotificationWriter | undefined;
  private readonly subscriptions = new Map<string, Subscription | undefined>();
  /** What was subscribed to while the subscriptions were being read. */
  private meanwhile: SubscriptionChange[] | undefined;
  private reading: Promise<void> = Promise.resolve();
  private announced = false;
  private over = false;

  constructor(
    session: Session,
    by: { readonly tenant: TenantStore; readonly key: KeyParts; readonly identity: Identity },
    audience: SubscriptionIndex,
  ) {
    this.session = session;
    this.tenant = by.tenant;
    this.key = by.key;
    this.who = by.identity;
    this.audience = audience;
  }

  get identity(): Identity {
    return this.who;
  }

  /** Its client is still admitted, as this one. */
  setIdentity(identity: Identity): void {
    if (this.over) return;
    this.audience.removeSubscriber(this);
    this.who = identity;
    this.audience.addSubscriber(this);
  }

  /** Lets the client hear, from all that may have changed before on. */
  open(outlet: NotificationWriter): void {
    this.outlet = outlet;
    if (this.over) outlet.close();
    else this.notifyAll();
  }

  /** Something was said of its session. */
  onSessionChange(change: SessionChange): void {
    if (change.kind === 'subscription') {
      this.meanwhile?.push(change);
      this.apply(change);
      return;
    }
    // One stream at a time (MCP, basic/transports: no message goes out on several): the last one opened.
    if (change.stream === this.id) this.announced = true;
    else if (this.announced) this.close();
  }

  /**
   * Reads what the session is to hear of, after what is being read already; it is kept from then on anew. Errors:
   * `session_not_found`, `unavailable`.
   */
  async readSubscriptions(): Promise<void> {
    const read = this.reading.then(() => this.readNow());
    this.reading = read.catch(() => {});
    await read;
  }

  notify(what: string): void {
    this.outlet?.enqueue(what);
  }

  /** Nobody knows what was missed: all of it may have changed. */
  notifyAll(): void {
    this.notify(RESOURCE_LIST);
    for (const uri of this.subscriptions.keys()) this.notify(uri);
  }

  close(): void {
    if (this.over) return;
    this.over = true;
    this.audience.removeSubscriber(this);
    for (const uri of this.subscriptions.keys()) this.drop(uri);
    this.outlet?.close();
  }

  private async readNow(): Promise<void> {
    this.meanwhile = [];
    try {
      const uris = new Set(await this.tenant.sessions.refreshSubscriptions(this.session.id));
      for (const uri of this.subscriptions.keys()) if (!uris.has(uri)) this.drop(uri);
      for (const uri of uris) this.add(uri);
      for (const change of this.meanwhile) this.apply(change);
    } finally {
      this.meanwhile = undefined;
    }
  }

  private apply({ uri, on }: SubscriptionChange): void {
    if (on) this.add(uri);
    else this.drop(uri);
  }

  private add(uri: string): void {
    if (this.over || this.subscriptions.has(uri)) return;
    this.subscriptions.set(uri, this.audience.subscribe(this, uri));
  }

  private drop(uri: string): void {
    const subscription = this.subscriptions.get(uri);
    if (subscription) this.audience.unsubscribe(subscription);
    this.subscriptions.delete(uri);
    this.outlet?.dequeue(uri);
  }
}
