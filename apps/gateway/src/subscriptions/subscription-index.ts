import type { Identity } from '@baton/store';
import {
  isInListOf,
  changesResourceList,
  resourceMayChange,
  resolveUri,
  topicsOfChange,
} from '../resources/change-matching.ts';
import type { DataChange, ResourceKind, Topic } from '../resources/resource-kind.ts';
import { MultiMap } from './multi-map.ts';
import { RESOURCE_LIST } from './notification-writer.ts';

/** Who is to hear of changes. */
export interface Subscriber {
  readonly identity: Identity;
  /** A resource may show something else now, or the LIST may. */
  notify(what: string): void;
}

export interface Subscription {
  readonly subscriber: Subscriber;
  readonly uri: string;
  readonly kind: ResourceKind;
  readonly topic: Topic;
}

/**
 * Who of a tenant is to hear of what, found by what a change is of: it meets the subscriptions to that, and, where lists
 * change with it, those whose lists they are, however many there are beside them.
 */
export class SubscriptionIndex {
  private readonly subscriptionsByTopic = new MultiMap<Topic, Subscription>();
  private readonly subscribersByPrincipal = new MultiMap<string, Subscriber>();
  private readonly agentSubscribers = new Set<Subscriber>();

  /** Has someone hear of lists, until `leave`; the identity must stay the same so long. */
  addSubscriber(hearer: Subscriber): void {
    const { principal, scopes } = hearer.identity;
    if (scopes.has('agent')) this.agentSubscribers.add(hearer);
    else this.subscribersByPrincipal.add(principal, hearer);
  }

  removeSubscriber(hearer: Subscriber): void {
    this.agentSubscribers.delete(hearer);
    this.subscribersByPrincipal.delete(hearer.identity.principal, hearer);
  }

  /** Undefined for what never changes, and for a kind of resource that this release does not know. */
  subscribe(hearer: Subscriber, uri: string): Subscription | undefined {
    const named = resolveUri(uri);
    const topic = named?.kind.topic(named.variables);
    if (named === undefined || topic === undefined) return undefined;
    const subscription = { subscriber: hearer, uri, kind: named.kind, topic };
    this.subscriptionsByTopic.add(topic, subscription);
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptionsByTopic.delete(subscription.topic, subscription);
  }

  notify(change: DataChange): void {
    for (const topic of topicsOfChange(change))
      for (const { subscriber, uri, kind } of this.subscriptionsByTopic.get(topic))
        if (resourceMayChange(change, kind, subscriber.identity)) subscriber.notify(uri);
    if (!changesResourceList(change)) return;
    const others =
      change.kind === 'task'
        ? [this.subscribersByPrincipal.get(change.principal)]
        : this.subscribersByPrincipal.sets();
    for (const hearers of [...others, this.agentSubscribers])
      for (const hearer of hearers) if (isInListOf(change, hearer.identity)) hearer.notify(RESOURCE_LIST);
  }
}
