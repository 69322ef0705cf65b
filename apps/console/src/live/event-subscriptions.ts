import type { RestClient } from '../rest/rest-client.ts';
import { followEvents } from './follow-events.ts';

interface Subscriber {
  /** The URI of a resource; undefined for the lists. */
  readonly resource: string | undefined;
  readonly onChange: () => void;
}

/**
 * Everything on the page that follows changes with one credential, over one event stream: a browser has six connections to an origin over
 * HTTP/1.1, for all of its tabs. A page that is hidden has no stream; when it is shown, all are told that there may be changes.
 */
class EventSubscriptions {
  private readonly client: RestClient;
  private readonly subscribers = new Set<Subscriber>();
  private stream: { readonly resources: string; readonly stop: AbortController } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: RestClient) {
    this.client = client;
  }

  add(subscriber: Subscriber): () => void {
    if (this.subscribers.size === 0) document.addEventListener('visibilitychange', this.onSight);
    this.subscribers.add(subscriber);
    this.openSoon();
    return () => {
      this.subscribers.delete(subscriber);
      if (this.subscribers.size === 0) document.removeEventListener('visibilitychange', this.onSight);
      this.openSoon();
    };
  }

  private readonly onSight = () => {
    this.open();
    if (!document.hidden) this.tell(() => true);
  };

  /** A screen that takes the place of another removes and adds subscribers at once: the stream is opened for what is left of both. */
  private openSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open());
  }

  private open(): void {
    const wanted = [...new Set([...this.subscribers].flatMap(({ resource }) => resource ?? []))].sort();
    const resources = JSON.stringify(wanted);
    const isWanted = this.subscribers.size > 0 && !document.hidden;
    if (isWanted && this.stream?.resources === resources) return;
    this.stream?.stop.abort();
    this.stream = undefined;
    if (!isWanted) return;
    const stop = new AbortController();
    this.stream = { resources, stop };
    const on = {
      resource: () => this.tell(({ resource }) => resource !== undefined),
      lists: () => this.tell(({ resource }) => resource === undefined),
    };
    void followEvents(this.client, wanted, on, stop.signal);
  }

  private tell(isMeant: (subscriber: Subscriber) => boolean): void {
    for (const one of this.subscribers) if (isMeant(one)) one.onChange();
  }
}

const ofClient = new WeakMap<RestClient, EventSubscriptions>();

/** Calls `onChange` at changes of `resource`, or of the lists without one, until the returned function is called. It may be called without a change. */
export function subscribeToEvents(
  client: RestClient,
  resource: string | undefined,
  onChange: () => void,
): () => void {
  const subscriptions = ofClient.get(client) ?? new EventSubscriptions(client);
  ofClient.set(client, subscriptions);
  return subscriptions.add({ resource, onChange });
}
