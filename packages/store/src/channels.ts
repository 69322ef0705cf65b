import { BatonError } from '@baton/protocol';
import type { Redis } from 'ioredis';

/** Who listens to a channel. */
export interface Ear {
  hear(message: string): void;
  /** The connection is gone: what is published from now on is lost. */
  away?(): void;
  /** It is back, and subscribed: whoever depends on what was published meanwhile looks for itself. */
  back(): void;
}

interface Joined {
  readonly ears: Set<Ear>;
  subscribed: Promise<unknown>;
}

/** The one connection of a process that subscribes, made when someone first joins a channel. */
export class Channels {
  private readonly open: () => Redis;
  private readonly patience: number;
  private readonly joined = new Map<string, Joined>();
  private subscriber: Redis | undefined;
  private gone = false;

  /** `patience` is how long a join waits for Redis, in milliseconds. */
  constructor(open: () => Redis, patience: number) {
    this.open = open;
    this.patience = patience;
  }

  /** From when this resolves the ear hears all that is published. Errors: `unavailable`; the ear is in nevertheless. */
  async join(channel: string, ear: Ear): Promise<void> {
    let joined = this.joined.get(channel);
    if (joined === undefined) {
      joined = { ears: new Set(), subscribed: this.connected().subscribe(channel) };
      joined.subscribed.catch(() => {});
      this.joined.set(channel, joined);
    }
    joined.ears.add(ear);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(unheard()), this.patience);
    });
    try {
      await Promise.race([joined.subscribed.catch(() => Promise.reject(unheard())), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  leave(channel: string, ear: Ear): void {
    const joined = this.joined.get(channel);
    joined?.ears.delete(ear);
    if (joined?.ears.size !== 0) return;
    this.joined.delete(channel);
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
      for (const ear of this.joined.get(channel)?.ears ?? []) tell(ear, message);
    });
    subscriber.on('close', () => {
      if (this.gone) return;
      this.gone = true;
      for (const ear of this.all()) ear.away?.();
    });
    subscriber.on('ready', () => void this.resume(subscriber));
    return subscriber;
  }

  /** Subscribed first and told then: what an ear's own look registers for must find it listening. */
  private async resume(subscriber: Redis): Promise<void> {
    if (!this.gone || this.joined.size === 0) {
      this.gone = false;
      return;
    }
    const subscribed = subscriber.subscribe(...this.joined.keys());
    for (const joined of this.joined.values()) joined.subscribed = subscribed;
    try {
      await subscribed;
    } catch {
      return; // gone again: the next 'ready' does it
    }
    this.gone = false;
    for (const ear of this.all()) ear.back();
  }

  private all(): Set<Ear> {
    return new Set([...this.joined.values()].flatMap(({ ears }) => [...ears]));
  }
}

function unheard(): BatonError {
  return new BatonError('unavailable', 'Redis takes no subscription now. Repeat the call.');
}

/** A message that an ear cannot read, say of a later release, ends neither the process nor the others' hearing. */
function tell(ear: Ear, message: string): void {
  try {
    ear.hear(message);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
