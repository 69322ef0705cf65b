import type { Identity } from '@baton/store';
import {
  mayChangePromptList,
  mayChangeResourceList,
  mayChangeToolList,
  isListChangeFor,
  resourceMayChange,
  topicsOfChange,
} from '../resources/change-matching.ts';
import { resolveResourceUri } from '../resources/resolve-resource-uri.ts';
import type { DataChange, ResourceKind, Topic } from '../resources/resource-kind.ts';
import { resourceOf } from './task-status-uri.ts';
import { SetMultimap } from './set-multimap.ts';
import { PROMPT_LIST, RESOURCE_LIST, TOOL_LIST } from './notification-writer.ts';

/** Who is notified of changes. */
export interface Subscriber {
  readonly identity: Identity;
  /** A resource may show something else now: its URI, or RESOURCE_LIST, PROMPT_LIST or TOOL_LIST for a list. */
  notify(what: string): void;
}

export interface Subscription {
  readonly subscriber: Subscriber;
  readonly uri: string;
  readonly kind: ResourceKind;
  readonly topic: Topic;
}

/** A tenant's stream subscribers by topic; a change visits only those that match. */
export class SubscriptionIndex {
  private readonly subscriptionsByTopic = new SetMultimap<Topic, Subscription>();
  private readonly subscribersByPrincipal = new SetMultimap<string, Subscriber>();
  private readonly agentSubscribers = new Set<Subscriber>();

  /** Notifies of changes of lists until `removeSubscriber`; the identity must stay the same so long. */
  addSubscriber(subscriber: Subscriber): void {
    const { principal, scopes } = subscriber.identity;
    if (scopes.has('agent')) this.agentSubscribers.add(subscriber);
    else this.subscribersByPrincipal.add(principal, subscriber);
  }

  removeSubscriber(subscriber: Subscriber): void {
    this.agentSubscribers.delete(subscriber);
    this.subscribersByPrincipal.delete(subscriber.identity.principal, subscriber);
  }

  /** Undefined for what never changes, and for a kind of resource that this release does not know. */
  subscribe(subscriber: Subscriber, uri: string): Subscription | undefined {
    const resolved = resolveResourceUri(resourceOf(uri));
    const topic = resolved?.kind.topic(resolved.variables);
    if (resolved === undefined || topic === undefined) return undefined;
    const subscription = { subscriber, uri, kind: resolved.kind, topic };
    this.subscriptionsByTopic.add(topic, subscription);
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptionsByTopic.delete(subscription.topic, subscription);
  }

  /** Notifies whom a change concerns, one after the other: each step is one subscription, or one subscriber of a list. */
  *notify(change: DataChange): Generator<void> {
    for (const topic of topicsOfChange(change))
      for (const { subscriber, uri, kind } of this.subscriptionsByTopic.get(topic)) {
        if (resourceMayChange(change, kind, subscriber.identity)) subscriber.notify(uri);
        yield;
      }
    const lists = listsOfChange(change);
    if (lists.length === 0) return;
    const ofPrincipals =
      change.kind === 'task'
        ? [this.subscribersByPrincipal.get(change.principal)]
        : this.subscribersByPrincipal.sets();
    for (const subscribers of [...ofPrincipals, this.agentSubscribers])
      for (const subscriber of subscribers) {
        for (const list of lists)
          if (list === TOOL_LIST || isListChangeFor(change, subscriber.identity)) subscriber.notify(list);
        yield;
      }
  }
}

/** Whoever may list anything may list tools; of the others, those whose list it is. */
function listsOfChange(change: DataChange): string[] {
  return [
    ...(mayChangeResourceList(change) ? [RESOURCE_LIST] : []),
    ...(mayChangePromptList(change) ? [PROMPT_LIST] : []),
    ...(mayChangeToolList(change) ? [TOOL_LIST] : []),
  ];
}
