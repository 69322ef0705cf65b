import type { TaskEnd, TaskStatus } from '@baton/protocol';
import type { Channels, Ear } from './channels.ts';
import type { Connection } from './connection.ts';
import type { Keyspace } from './keys.ts';
import { parseEnd } from './task-view.ts';

/** What a replica hears of a task that it waits for. */
export interface Notice {
  /** How many of the task's events its program had consumed. */
  readonly seen: number;
  readonly status: TaskStatus;
  /** How it ended, when it ended and that is small; otherwise the waiter reads it. */
  readonly end: TaskEnd | undefined;
}

/**
 * This replica's own channel. Scripts publish to it only what a request held here waits for, so no replica reads
 * another's traffic. A notice may come before the reply of the script that registered for it: listen first.
 */
export class Inbox implements Ear {
  readonly channel: string;
  private readonly channels: Channels;
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly hearsay: boolean;

  private constructor(channels: Channels, channel: string, hearsay: boolean) {
    this.channels = channels;
    this.channel = channel;
    this.hearsay = hearsay;
  }

  static async open(connection: Connection, keyspace: Keyspace, replica: string): Promise<Inbox> {
    const inbox = new Inbox(connection.channels, keyspace.inbox(replica), connection.waitsForReplicas);
    await connection.channels.join(inbox.channel, inbox);
    return inbox;
  }

  /** Starts to listen for a task; `close` the listener when the wait is over. */
  listen(member: string): Listener {
    const listener = new Listener(() => {
      const others = this.listeners.get(member);
      others?.delete(listener);
      if (others?.size === 0) this.listeners.delete(member);
    });
    const all = this.listeners.get(member) ?? new Set();
    this.listeners.set(member, all.add(listener));
    return listener;
  }

  close(): void {
    this.back();
    this.channels.leave(this.channel, this);
  }

  hear(message: string): void {
    for (const line of message.split('\n')) this.hearLine(line);
  }

  private hearLine(message: string): void {
    const [member = '', seen, status] = message.split(' ', 3);
    const listeners = this.listeners.get(member);
    if (listeners === undefined) return;
    // What a master publishes its replicas may never have: whoever reports it reads it as they have it.
    if (this.hearsay) return wake(listeners);
    const payload = message.slice(member.length + (seen?.length ?? 0) + (status?.length ?? 0) + 3);
    const notice: Notice = {
      seen: Number(seen),
      status: status as TaskStatus,
      end: payload === '' ? undefined : parseEnd(status as TaskStatus, payload),
    };
    for (const listener of listeners) listener.hear(notice);
  }

  /** What was published while the connection was away is lost: every waiter reads for itself. */
  back(): void {
    for (const listeners of this.listeners.values()) wake(listeners);
  }
}

function wake(listeners: Iterable<Listener>): void {
  for (const listener of listeners) listener.hear(undefined);
}

/** Says when a wait is over, as an `AbortSignal` does, which is one. */
export interface Over {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One request's ear. Keeps the latest notice until it is asked for. */
export class Listener {
  private readonly end: () => void;
  private latest: { notice: Notice | undefined } | undefined;
  private wake: (() => void) | undefined;

  constructor(end: () => void) {
    this.end = end;
  }

  hear(notice: Notice | undefined): void {
    this.latest = { notice };
    this.wake?.();
  }

  /**
   * The next notice; `look` when the waiter should read for itself (the connection came back), `over` at the deadline
   * or when `signal` aborts.
   */
  async next(milliseconds: number, signal?: Over): Promise<Notice | 'look' | 'over'> {
    if (this.latest === undefined && milliseconds > 0 && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const stop = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const timer = setTimeout(stop, milliseconds);
        this.wake = stop;
        signal?.addEventListener('abort', stop);
      });
      this.wake = undefined;
    }
    const heard = this.latest;
    this.latest = undefined;
    if (heard === undefined) return 'over';
    return heard.notice ?? 'look';
  }

  close(): void {
    this.end();
  }
}
