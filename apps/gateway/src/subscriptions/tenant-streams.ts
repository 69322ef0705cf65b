import {
  CHANGE_FEED_RENEW_INTERVAL,
  type Change,
  type Identity,
  type Store,
  STREAM_PUBLISH_INTERVAL,
  SUBSCRIPTION_REFRESH_INTERVAL,
  type TenantStore,
} from '@baton/store';
import { ChangeFeedSubscription } from '../streaming/change-feed-subscription.ts';
import { ChangeQueue } from './change-queue.ts';
import { KeyExpiryTimer } from './key-expiry-timer.ts';
import { OpenStreamRecheck } from './open-stream-recheck.ts';
import type { NotificationStream } from './notification-stream.ts';
import type { StreamHolder } from './stream-holder.ts';
import { SubscriptionIndex } from './subscription-index.ts';
import { SubscriptionReadQueue } from './subscription-read-queue.ts';

/** Counted in renewals of the change feed: how often identities are checked, and subscriptions refreshed in Redis. */
const CHECK_IDENTITIES_EVERY = 3;
const REFRESH_SUBSCRIPTIONS_EVERY = SUBSCRIPTION_REFRESH_INTERVAL / CHANGE_FEED_RENEW_INTERVAL;

/**
 * The notification streams of one tenant on this replica. While there is one, the replica is subscribed to the tenant's
 * change feed, and each change goes to the streams that it concerns:
 *
 * - a change of data goes through the `changes` and the `index` to the streams subscribed to what it may show in;
 * - a change of a session's subscriptions, and a newer stream of the session, go to that session's stream;
 *
 * When a key may have ended, its streams hear nothing more until the identities behind all streams were checked
 * (`open-stream-recheck`), and so when the first of the keys expires (`key-expiry-timer`).
 *
 * Changes may be lost while Redis cannot be reached. After it, every stream reads its subscriptions again and notifies of
 * all of them (`subscription-read-queue`), and all identities are checked.
 */
export class TenantStreams {
  readonly index = new SubscriptionIndex();
  private readonly tenant: TenantStore;
  private readonly admissionChanges: Store['admissionChanges'];
  /** By what they are opened for: there is one stream of each. */
  private readonly streams = new Map<string, NotificationStream>();
  private readonly feed: ChangeFeedSubscription;
  private readonly openStreamRecheck: OpenStreamRecheck;
  private readonly changes = new ChangeQueue(this.index);
  private readonly reads: SubscriptionReadQueue;
  private readonly keyExpiryTimer = new KeyExpiryTimer(() => void this.openStreamRecheck.run());
  /** Ends a stream's place among those who hear of the ends of keys. */
  private readonly leaves = new Map<NotificationStream, () => void>();
  private renewals = 0;

  constructor(tenant: TenantStore, admissionChanges: Store['admissionChanges']) {
    this.tenant = tenant;
    this.admissionChanges = admissionChanges;
    const onRenewalDue = () => void this.renew();
    this.feed = new ChangeFeedSubscription(tenant.changes, this, CHANGE_FEED_RENEW_INTERVAL, onRenewalDue);
    this.openStreamRecheck = new OpenStreamRecheck(
      () => this.streams.values(),
      (holder) => this.identityOf(holder),
    );
    this.reads = new SubscriptionReadQueue((stream) => this.isCurrent(stream));
  }

  get size(): number {
    return this.streams.size;
  }

  has(sourceId: string): boolean {
    return this.streams.has(sourceId);
  }

  /**
   * Adds a stream in place of an earlier one of the same source; it misses no change from when this resolves. Whoever calls it
   * removes the stream when it fails. Errors: those of the admission, `session_not_found`, `unavailable`.
   */
  async add(stream: NotificationStream): Promise<void> {
    const { source } = stream;
    const earlier = this.streams.get(source.id);
    // Set before the earlier one closes: its removal must not find the last stream gone and close the feed.
    this.streams.set(source.id, stream);
    earlier?.close();
    this.leaves.set(
      stream,
      this.admissionChanges.subscribe({ tenant: this.tenant.id, id: stream.holder.credentialId }, () =>
        this.onAdmissionChange(stream),
      ),
    );
    await this.feed.open();
    await source.announce(stream.id);
    await stream.readSubscriptions();
    // A revocation after the request was admitted and before the stream was added was not received here.
    stream.setIdentity(await this.identityOf(stream.holder));
  }

  remove(stream: NotificationStream): void {
    stream.close();
    this.reads.cancel(stream);
    this.leaves.get(stream)?.();
    this.leaves.delete(stream);
    if (this.isCurrent(stream)) this.streams.delete(stream.source.id);
    if (this.streams.size > 0) return;
    this.feed.close();
    this.keyExpiryTimer.stop();
  }

  /**
   * Makes room for a stream of a key where as many are open as may be: closes the newest stream of the key that has most,
   * unless that would leave it no more than this key then has. False when there is no room.
   */
  makeRoom({ credentialId }: StreamHolder): boolean {
    const byKey = new Map<string, NotificationStream[]>();
    for (const stream of this.streams.values()) {
      const ofKey = byKey.get(stream.holder.credentialId);
      if (ofKey === undefined) byKey.set(stream.holder.credentialId, [stream]);
      else ofKey.push(stream);
    }
    let most: NotificationStream[] = [];
    for (const ofKey of byKey.values()) if (ofKey.length > most.length) most = ofKey;
    if (most.length - 1 <= (byKey.get(credentialId)?.length ?? 0)) return false;
    const newest = most.at(-1);
    if (newest !== undefined) this.remove(newest);
    return true;
  }

  /** Closes the stream of a session that was ended. */
  closeSession(sessionId: string): void {
    this.streams.get(sessionId)?.close();
  }

  onChange(change: Change): void {
    switch (change.kind) {
      case 'subscription':
      case 'stream':
        this.streams.get(change.session)?.onSessionChange(change);
        return;
      case 'project':
      case 'task':
      case 'workflow':
      case 'agent':
      case 'prompt':
        this.changes.add(change);
        // Of chunks that come soon behind a published one nothing is published.
        if (change.kind === 'task' && change.streamed)
          setTimeout(() => this.changes.add(change), STREAM_PUBLISH_INTERVAL + 50).unref();
    }
  }

  /** Ends of keys may be lost from now on: no stream is written to until they were checked. */
  onDisconnect(): void {
    for (const stream of this.streams.values()) stream.holdBack();
  }

  /** Changes were lost: of data, of subscriptions, and of admission. */
  onReconnect(): void {
    this.reads.schedule(this.streams.values(), 'resync');
    void this.openStreamRecheck.run();
    void this.reads.run();
  }

  /** Renews the feed and does what came due or failed since the last renewal. */
  private async renew(): Promise<void> {
    // Counted though Redis may not be reached: what is due comes round whatever fails.
    const nth = ++this.renewals;
    try {
      if (!(await this.tenant.changes.renewSubscription())) this.onReconnect();
    } catch {
      // The next renewal finds out whether changes were lost.
    }
    if (this.openStreamRecheck.isDue || nth % CHECK_IDENTITIES_EVERY === 0)
      await this.openStreamRecheck.run();
    if (nth % REFRESH_SUBSCRIPTIONS_EVERY === 0) this.reads.schedule(this.streams.values(), 'refresh');
    await this.reads.run();
  }

  private isCurrent(stream: NotificationStream): boolean {
    return this.streams.get(stream.source.id) === stream;
  }

  private onAdmissionChange(stream: NotificationStream): void {
    stream.holdBack();
    void this.openStreamRecheck.run();
  }

  private async identityOf(holder: StreamHolder): Promise<Identity> {
    const identity = await holder.recheck();
    if (identity.admittedBy !== undefined) this.keyExpiryTimer.note(identity.admittedBy.expiresAt);
    return identity;
  }
}
