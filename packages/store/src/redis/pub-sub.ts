import { BatonError } from '@baton/protocol';
import type { Redis } from 'ioredis';

/** Receives what is published to a channel. */
export interface Subscriber {
  onMessage(message: string): void;
  /** The connection is lost: messages published from now on are not received. */
  onDisconnect?(): void;
  /** The connection is back and subscribed: whoever depends on the missed messages reads the state for itself. */
  onReconnect(): void;
}

interface ChannelSubscription {
  readonly subscribers: Set<Subscriber>;
  subscribed: Promise<unknown>;
}

/** The one subscribing connection of a process, opened with the first subscription. */
export class PubSub {
  private readonly connect: () => Redis;
  private readonly timeoutMs: number;
  private readonly channels = new Map<string, ChannelSubscription>();
  private client: Redis | undefined;
  private disconnected = false;

  /** `timeoutMs` is how long `subscribe` waits for Redis. */
  constructor(connect: () => Redis, timeoutMs: number) {
    this.connect = connect;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Once this resolves, `subscriber` receives everything that is published to the channel.
   * Errors: `unavailable`; the subscriber is registered nevertheless, and receives messages once Redis is back.
   */
  async subscribe(channel: string, subscriber: Subscriber): Promise<void> {
    let subscription = this.channels.get(channel);
    if (subscription === undefined) {
      subscription = { subscribers: new Set(), subscribed: this.connection().subscribe(channel) };
      subscription.subscribed.catch(() => {});
      this.channels.set(channel, subscription);
    }
    subscription.subscribers.add(subscriber);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(subscriptionFailed()), this.timeoutMs);
    });
    try {
      await Promise.race([
        subscription.subscribed.catch(() => Promise.reject(subscriptionFailed())),
        timeout,
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  unsubscribe(channel: string, subscriber: Subscriber): void {
    const subscription = this.channels.get(channel);
    subscription?.subscribers.delete(subscriber);
    if (subscription?.subscribers.size !== 0) return;
    this.channels.delete(channel);
    this.client?.unsubscribe(channel).catch(() => {});
  }

  close(): void {
    this.client?.disconnect();
  }

  private connection(): Redis {
    if (this.client !== undefined) return this.client;
    const client = this.connect();
    this.client = client;
    client.on('message', (channel: string, message: string) => {
      for (const subscriber of this.channels.get(channel)?.subscribers ?? []) deliver(subscriber, message);
    });
    client.on('close', () => {
      if (this.disconnected) return;
      this.disconnected = true;
      for (const subscriber of this.allSubscribers()) subscriber.onDisconnect?.();
    });
    client.on('ready', () => void this.resubscribe(client));
    return client;
  }

  /** Calls `onReconnect` only once subscribed again: a subscriber that registers then must receive the reply. */
  private async resubscribe(client: Redis): Promise<void> {
    if (!this.disconnected || this.channels.size === 0) {
      this.disconnected = false;
      return;
    }
    const subscribed = client.subscribe(...this.channels.keys());
    for (const subscription of this.channels.values()) subscription.subscribed = subscribed;
    try {
      await subscribed;
    } catch {
      return; // disconnected again: the next 'ready' resubscribes
    }
    this.disconnected = false;
    for (const subscriber of this.allSubscribers()) subscriber.onReconnect();
  }

  private allSubscribers(): Set<Subscriber> {
    return new Set([...this.channels.values()].flatMap(({ subscribers }) => [...subscribers]));
  }
}

function subscriptionFailed(): BatonError {
  return new BatonError('unavailable', 'Redis takes no subscription now. Repeat the call.');
}

/** A message that one subscriber cannot parse, say of a later release, neither ends the process nor skips the others. */
function deliver(subscriber: Subscriber, message: string): void {
  try {
    subscriber.onMessage(message);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
