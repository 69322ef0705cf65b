import { randomUUID } from 'node:crypto';
import type { KeyParts } from '@baton/protocol';
import type { Change, Identity, Tenant } from '@baton/store';
import type { Audience, Hearer, Subscription } from './audience.ts';
import { LIST, type Outlet } from './outlet.ts';
import type { Session } from './session.ts';

type SubscriptionChange = Extract<Change, { kind: 'subscription' }>;
type SessionChange = SubscriptionChange | Extract<Change, { kind: 'stream' }>;

/** One session's notification stream, and what is to be told on it. */
export class Stream implements Hearer {
  readonly id = randomUUID();
  readonly session: Session;
  readonly key: KeyParts;
  private readonly tenant: Tenant;
  private readonly audience: Audience;
  private who: Identity;
  private outlet: Outlet | undefined;
  private readonly subscriptions = new Map<string, Subscription | undefined>();
  /** What was subscribed to while the subscriptions were being read. */
  private meanwhile: SubscriptionChange[] | undefined;
  private reading: Promise<void> = Promise.resolve();
  private announced = false;
  private over = false;

  constructor(
    session: Session,
    by: { readonly tenant: Tenant; readonly key: KeyParts; readonly identity: Identity },
    audience: Audience,
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
  admitted(identity: Identity): void {
    if (this.over) return;
    this.audience.leave(this);
    this.who = identity;
    this.audience.join(this);
  }

  /** Lets the client hear, from all that may have changed before on. */
  open(outlet: Outlet): void {
    this.outlet = outlet;
    if (this.over) outlet.end();
    else this.tellAll();
  }

  /** Something was said of its session. */
  hear(change: SessionChange): void {
    if (change.kind === 'subscription') {
      this.meanwhile?.push(change);
      this.apply(change);
      return;
    }
    // One stream at a time (MCP, basic/transports: no message goes out on several): the last one opened.
    if (change.stream === this.id) this.announced = true;
    else if (this.announced) this.end();
  }

  /**
   * Reads what the session is to hear of, after what is being read already; it is kept from then on anew. Errors:
   * `session_not_found`, `unavailable`.
   */
  async read(): Promise<void> {
    const read = this.reading.then(() => this.readNow());
    this.reading = read.catch(() => {});
    await read;
  }

  tell(what: string): void {
    this.outlet?.tell(what);
  }

  /** Nobody knows what was missed: all of it may have changed. */
  tellAll(): void {
    this.tell(LIST);
    for (const uri of this.subscriptions.keys()) this.tell(uri);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.audience.leave(this);
    for (const uri of this.subscriptions.keys()) this.drop(uri);
    this.outlet?.end();
  }

  private async readNow(): Promise<void> {
    this.meanwhile = [];
    try {
      const uris = new Set(await this.tenant.sessions.subscriptions(this.session.id));
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
    this.outlet?.forget(uri);
  }
}
