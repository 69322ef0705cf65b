import { BatonError } from '@baton/protocol';
import type { Redis } from 'ioredis';

/** Who listens to a channel. */
export interface Subscriber {
  onMessage(message: string): void;
  /** The connection is gone: what is published from now on is lost. */
  onDisconnect?(): void;
  /** It is back, and subscribed: whoever depends on what was published meanwhile looks for itself. */
  onReconnect(): void;
}

interface ChannelSubscription {
  readonly subscribers: Set<Subscriber>;
  subscribed: Promise<unknown>;
}

/** The one connection of a process that subscribes, made when someone first joins a channel. */
export class PubSub {
  private readonly open: () => Redis;
  private readonly timeoutMs: number;
  private readonly channels = new Map<string, ChannelSubscription>();
  private subscriber: Redis | undefined;
  private disconnected = false;

  /** `patience` is how long a join waits for Redis, in milliseconds. */
  constructor(open: () => Redis, patience: number) {
    this.open = open;
    this.timeoutMs = patience;
  }

  /** From when this resolves the ear hears all that is published. Errors: `unavailable`; the ear is in nevertheless. */
  async subscribe(channel: string, ear: Subscriber): Promise<void> {
    let joined = this.channels.get(channel);
    if (joined === undefined) {
      joined = { subscribers: new Set(), subscribed: this.connected().subscribe(channel) };
      joined.subscribed.catch(() => {});
      this.channels.set(channel, joined);
    }
    joined.subscribers.add(ear);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(subscriptionFailed()), this.timeoutMs);
    });
    try {
      await Promise.race([joined.subscribed.catch(() => Promise.reject(subscriptionFailed())), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  unsubscribe(channel: string, ear: Subscriber): void {
    const joined = this.channels.get(channel);
    joined?.subscribers.delete(ear);
    if (joined?.subscribers.size !== 0) return;
    this.channels.delete(channel);
    this.subscriber?.unsubscribe(channel).catch(() => {});
  }

  close(): void {
    this.subscriber?.disconnect();
  }

  private connected(): Redis {
    if (this.subscriber !== undefined) return this.subscriber;
    const subscriber = this.open();
    this.subscriber = subscriber;
    subscriber.on('message', (channel: string, message: string) => {
      for (const ear of this.channels.get(channel)?.subscribers ?? []) deliver(ear, message);
    });
    subscriber.on('close', () => {
      if (this.disconnected) return;
      this.disconnected = true;
      for (const ear of this.all()) ear.onDisconnect?.();
    });
    subscriber.on('ready', () => void this.resubscribe(subscriber));
    return subscriber;
  }

  /** Subscribed first and told then: what an ear's own look registers for must find it listening. */
  private async resubscribe(subscriber: Redis): Promise<void> {
    if (!this.disconnected || this.channels.size === 0) {
      this.disconnected = false;
      return;
    }
    const subscribed = subscriber.subscribe(...this.channels.keys());
    for (const joined of this.channels.values()) joined.subscribed = subscribed;
    try {
      await subscribed;
    } catch {
      return; // gone again: the next 'ready' does it
    }
    this.disconnected = false;
    for (const ear of this.all()) ear.onReconnect();
  }

  private all(): Set<Subscriber> {
    return new Set([...this.channels.values()].flatMap(({ subscribers }) => [...subscribers]));
  }
}

function subscriptionFailed(): BatonError {
  return new BatonError('unavailable', 'Redis takes no subscription now. Repeat the call.');
}

/** A message that an ear cannot read, say of a later release, ends neither the process nor the others' hearing. */
function deliver(ear: Subscriber, message: string): void {
  try {
    ear.onMessage(message);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
