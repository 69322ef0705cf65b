import type { TenantStore } from '@baton/store';

type ChangeFeed = TenantStore['changes'];
type ChangeSubscriber = Parameters<ChangeFeed['subscribe']>[0];

type State =
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'open';
      /** Settles once the feed is subscribed to, with what ends the subscription. */
      readonly subscription: Promise<() => void>;
      readonly renewal: NodeJS.Timeout;
    };

/** A subscriber's place in a tenant's change feed, which lasts as long as it is renewed. */
export class ChangeFeedSubscription {
  private readonly feed: ChangeFeed;
  private readonly subscriber: ChangeSubscriber;
  private readonly renewEveryMs: number;
  private readonly onRenewalDue: () => void;
  private state: State = { kind: 'closed' };

  constructor(
    feed: ChangeFeed,
    subscriber: ChangeSubscriber,
    renewEveryMs: number,
    onRenewalDue: () => void,
  ) {
    this.feed = feed;
    this.subscriber = subscriber;
    this.renewEveryMs = renewEveryMs;
    this.onRenewalDue = onRenewalDue;
  }

  /** No change is missed from when this resolves. Whoever opens it meanwhile waits for the same. Errors: `unavailable`. */
  async open(): Promise<void> {
    if (this.state.kind === 'closed') {
      const renewal = setInterval(this.onRenewalDue, this.renewEveryMs).unref();
      this.state = { kind: 'open', subscription: this.feed.subscribe(this.subscriber), renewal };
    }
    const opened = this.state;
    try {
      await opened.subscription;
    } catch (error) {
      if (this.state === opened) this.close();
      throw error;
    }
  }

  close(): void {
    if (this.state.kind === 'closed') return;
    const { subscription, renewal } = this.state;
    this.state = { kind: 'closed' };
    clearInterval(renewal);
    subscription.then(
      (unsubscribe) => unsubscribe(),
      // There is no subscription to end; `open` has thrown.
      () => {},
    );
  }
}
