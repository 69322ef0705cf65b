import { randomUUID } from 'node:crypto';
import type { KeyParts } from '@baton/protocol';
import type { Change, Identity, Tenant } from '@baton/store';
import { listMayChange, type Named, resourceMayChange, resourceOf } from '../resources/change.ts';
import { LIST, type Outlet } from './outlet.ts';
import type { Session } from './session.ts';

type SubscriptionChange = Extract<Change, { kind: 'subscription' }>;

/** One session's notification stream, and what is to be told on it. */
export class Stream {
  readonly id = randomUUID();
  readonly session: Session;
  readonly key: KeyParts;
  identity: Identity;
  private readonly tenant: Tenant;
  private outlet: Outlet | undefined;
  private named = new Map<string, Named>();
  /** What was subscribed to while the subscriptions were being read. */
  private meanwhile: SubscriptionChange[] | undefined;
  private reading: Promise<void> = Promise.resolve();
  private announced = false;
  private over = false;

  constructor(session: Session, tenant: Tenant, key: KeyParts, identity: Identity) {
    this.session = session;
    this.tenant = tenant;
    this.key = key;
    this.identity = identity;
  }

  /** Lets the client hear, from all that may have changed before on. */
  open(outlet: Outlet): void {
    this.outlet = outlet;
    if (this.over) outlet.end();
    else this.tellAll();
  }

  hear(change: Change): void {
    switch (change.kind) {
      case 'subscription':
        if (change.session !== this.session.id) return;
        this.meanwhile?.push(change);
        this.apply(change);
        return;
      case 'stream':
        // One stream at a time (MCP, basic/transports: no message goes out on several): the last one opened.
        if (change.session !== this.session.id) return;
        if (change.stream === this.id) this.announced = true;
        else if (this.announced) this.end();
        return;
      case 'admission':
        return;
      default:
        for (const [uri, named] of this.named)
          if (resourceMayChange(change, named, this.identity)) this.outlet?.tell(uri);
        if (listMayChange(change, this.identity)) this.outlet?.tell(LIST);
    }
  }

  /** Reads what the session is to hear of, after what is being read already. Errors: `session_not_found`, `unavailable`. */
  async read(): Promise<void> {
    const read = this.reading.then(() => this.readNow());
    this.reading = read.catch(() => {});
    await read;
  }

  /** Nobody knows what was missed: all of it may have changed. */
  tellAll(): void {
    this.outlet?.tell(LIST);
    for (const uri of this.named.keys()) this.outlet?.tell(uri);
  }

  end(): void {
    this.over = true;
    this.outlet?.end();
  }

  private async readNow(): Promise<void> {
    this.meanwhile = [];
    try {
      const uris = await this.tenant.sessions.subscriptions(this.session.id);
      this.named = new Map();
      for (const uri of uris) this.add(uri);
      for (const change of this.meanwhile) this.apply(change);
    } finally {
      this.meanwhile = undefined;
    }
  }

  private apply({ uri, on }: SubscriptionChange): void {
    if (on) {
      this.add(uri);
      return;
    }
    this.named.delete(uri);
    this.outlet?.forget(uri);
  }

  /** A kind of resource that this release does not know is none of its streams' either. */
  private add(uri: string): void {
    const named = resourceOf(uri);
    if (named !== undefined) this.named.set(uri, named);
  }
}
