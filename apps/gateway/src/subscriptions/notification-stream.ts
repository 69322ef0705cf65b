import { randomUUID } from 'node:crypto';
import type { Change, Identity } from '@baton/store';
import { type NotificationWriter, PROMPT_LIST, RESOURCE_LIST, TOOL_LIST } from './notification-writer.ts';
import type { StreamHolder } from './stream-holder.ts';
import type { StreamSource } from './stream-source.ts';
import { taskOfStatusUri } from './task-status-uri.ts';
import type { Subscriber, Subscription, SubscriptionIndex } from './subscription-index.ts';

type SubscriptionChange = Extract<Change, { kind: 'subscription' }>;
type SessionChange = SubscriptionChange | Extract<Change, { kind: 'stream' }>;

/** `opening`: it is subscribed already, but its response has not begun. */
type State =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly writer: NotificationWriter }
  | { readonly kind: 'closed' };

/** A notification stream: what its session, or its request, is subscribed to, and the client that is notified. */
export class NotificationStream implements Subscriber {
  readonly id = randomUUID();
  readonly source: StreamSource;
  readonly holder: StreamHolder;
  private readonly index: SubscriptionIndex;
  private currentIdentity: Identity;
  private state: State = { kind: 'opening' };
  /** By URI; undefined for a resource that never changes. */
  private readonly subscriptions = new Map<string, Subscription | undefined>();
  /** A session's changes while its subscriptions are being read, which the read may or may not have seen. */
  private changesDuringRead: SubscriptionChange[] | undefined;
  private lastRead: Promise<void> = Promise.resolve();
  /** Whether the announcement of this very stream came back: one of another stream after it is a newer one's. */
  private announced = false;

  constructor(
    source: StreamSource,
    by: { readonly holder: StreamHolder; readonly identity: Identity },
    index: SubscriptionIndex,
  ) {
    this.source = source;
    this.holder = by.holder;
    this.currentIdentity = by.identity;
    this.index = index;
  }

  get identity(): Identity {
    return this.currentIdentity;
  }

  /** Its caller was admitted again, as this identity. */
  setIdentity(identity: Identity): void {
    if (this.state.kind === 'closed') return;
    const toolsBefore = this.currentIdentity.tools ?? '';
    this.index.removeSubscriber(this);
    this.currentIdentity = identity;
    this.index.addSubscriber(this);
    if (toolsBefore !== (identity.tools ?? '')) this.notify(TOOL_LIST);
    if (this.state.kind === 'open') this.state.writer.release();
  }

  /** Its key may have ended: the client hears nothing more until it was admitted again. */
  holdBack(): void {
    if (this.state.kind === 'open') this.state.writer.hold();
  }

  /** Begins to notify the client, first of all that may have changed before. */
  open(writer: NotificationWriter): void {
    if (this.state.kind === 'closed') {
      writer.close();
      return;
    }
    this.state = { kind: 'open', writer };
    this.notifyAll();
  }

  onSessionChange(change: SessionChange): void {
    if (change.kind === 'subscription') {
      this.changesDuringRead?.push(change);
      this.apply(change);
      return;
    }
    // One stream at a time (MCP, basic/transports: no message goes out on several): the last one opened.
    if (change.stream === this.id) this.announced = true;
    else if (this.announced) this.close();
  }

  /**
   * Reads the subscriptions, which extends the life of a session's in Redis. Runs after a read that is under way. Errors:
   * `session_not_found`, `unavailable`.
   */
  async readSubscriptions(): Promise<void> {
    const read = this.lastRead.then(() => this.readNow());
    this.lastRead = read.catch(() => {});
    await read;
  }

  notify(what: string): void {
    if (this.state.kind !== 'open') return;
    if (performance.now() >= (this.currentIdentity.admittedBy?.expiresAt ?? Number.POSITIVE_INFINITY))
      this.holdBack();
    this.state.writer.enqueue(what);
  }

  /** Changes may have been lost: notifies of the lists and of every subscription. */
  notifyAll(): void {
    this.notify(RESOURCE_LIST);
    this.notify(TOOL_LIST);
    if (this.currentIdentity.scopes.has('mcp')) this.notify(PROMPT_LIST);
    for (const uri of this.subscriptions.keys()) this.notify(uri);
  }

  close(): void {
    if (this.state.kind === 'closed') return;
    const closing = this.state;
    this.state = { kind: 'closed' };
    this.index.removeSubscriber(this);
    for (const uri of this.subscriptions.keys()) this.unsubscribe(uri);
    if (closing.kind === 'open') closing.writer.close();
  }

  private async readNow(): Promise<void> {
    this.changesDuringRead = [];
    try {
      const uris = new Set(await this.source.subscriptions());
      for (const uri of this.subscriptions.keys()) if (!uris.has(uri)) this.unsubscribe(uri);
      for (const uri of uris) this.subscribe(uri);
      for (const change of this.changesDuringRead) this.apply(change);
    } finally {
      this.changesDuringRead = undefined;
    }
  }

  private apply({ uri, on }: SubscriptionChange): void {
    if (!on) {
      this.unsubscribe(uri);
      return;
    }
    this.subscribe(uri);
    // What a task has done before its status was subscribed to is told too.
    if (taskOfStatusUri(uri) !== undefined) this.notify(uri);
  }

  private subscribe(uri: string): void {
    if (this.state.kind === 'closed' || this.subscriptions.has(uri)) return;
    this.subscriptions.set(uri, this.index.subscribe(this, uri));
  }

  private unsubscribe(uri: string): void {
    const subscription = this.subscriptions.get(uri);
    if (subscription) this.index.unsubscribe(subscription);
    this.subscriptions.delete(uri);
    if (this.state.kind === 'open') this.state.writer.dequeue(uri);
  }
}
