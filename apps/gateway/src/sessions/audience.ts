import type { Identity } from '@baton/store';
import { isOfTheirList, listChanges, resourceMayChange, resourceOf, topicsOf } from '../resources/change.ts';
import type { DataChange, ResourceKind, Topic } from '../resources/resource.ts';
import { Groups } from './groups.ts';
import { LIST } from './outlet.ts';

/** Who is to hear of changes. */
export interface Hearer {
  readonly identity: Identity;
  /** A resource may show something else now, or the LIST may. */
  tell(what: string): void;
}

export interface Subscription {
  readonly hearer: Hearer;
  readonly uri: string;
  readonly kind: ResourceKind;
  readonly topic: Topic;
}

/**
 * Who of a tenant is to hear of what, found by what a change is of: it meets the subscriptions to that, and, where lists
 * change with it, those whose lists they are, however many there are beside them.
 */
export class Audience {
  private readonly subscriptions = new Groups<Topic, Subscription>();
  private readonly principals = new Groups<string, Hearer>();
  private readonly agents = new Set<Hearer>();

  /** Has someone hear of lists, until `leave`; the identity must stay the same so long. */
  join(hearer: Hearer): void {
    const { principal, scopes } = hearer.identity;
    if (scopes.has('agent')) this.agents.add(hearer);
    else this.principals.add(principal, hearer);
  }

  leave(hearer: Hearer): void {
    this.agents.delete(hearer);
    this.principals.delete(hearer.identity.principal, hearer);
  }

  /** Undefined for what never changes, and for a kind of resource that this release does not know. */
  subscribe(hearer: Hearer, uri: string): Subscription | undefined {
    const named = resourceOf(uri);
    const topic = named?.kind.topic(named.variables);
    if (named === undefined || topic === undefined) return undefined;
    const subscription = { hearer, uri, kind: named.kind, topic };
    this.subscriptions.add(topic, subscription);
    return subscription;
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptions.delete(subscription.topic, subscription);
  }

  tell(change: DataChange): void {
    for (const topic of topicsOf(change))
      for (const { hearer, uri, kind } of this.subscriptions.of(topic))
        if (resourceMayChange(change, kind, hearer.identity)) hearer.tell(uri);
    if (!listChanges(change)) return;
    const others = change.kind === 'task' ? [this.principals.of(change.principal)] : this.principals.all();
    for (const hearers of [...others, this.agents])
      for (const hearer of hearers) if (isOfTheirList(change, hearer.identity)) hearer.tell(LIST);
  }
}
