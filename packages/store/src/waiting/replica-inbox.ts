import type { TaskEnd, TaskStatus } from '@baton/protocol';
import type { PubSub, Subscriber } from '../redis/pub-sub.ts';
import type { Connection } from '../redis/connection.ts';
import type { Keyspace } from '../records/keys.ts';
import { parseTaskEnd } from '../records/task-view.ts';

/** What a replica hears of a task that it waits for. */
export interface TaskUpdate {
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
export class ReplicaInbox implements Subscriber {
  readonly channel: string;
  private readonly pubSub: PubSub;
  private readonly subscriptions = new Map<string, Set<TaskSubscription>>();
  private readonly confirmByRead: boolean;

  private constructor(channels: PubSub, channel: string, hearsay: boolean) {
    this.pubSub = channels;
    this.channel = channel;
    this.confirmByRead = hearsay;
  }

  static async open(connection: Connection, keyspace: Keyspace, replica: string): Promise<ReplicaInbox> {
    const inbox = new ReplicaInbox(connection.pubSub, keyspace.inbox(replica), connection.waitsForReplicas);
    await connection.pubSub.subscribe(inbox.channel, inbox);
    return inbox;
  }

  /** Starts to listen for a task; `close` the listener when the wait is over. */
  subscribe(member: string): TaskSubscription {
    const listener = new TaskSubscription(() => {
      const others = this.subscriptions.get(member);
      others?.delete(listener);
      if (others?.size === 0) this.subscriptions.delete(member);
    });
    const all = this.subscriptions.get(member) ?? new Set();
    this.subscriptions.set(member, all.add(listener));
    return listener;
  }

  close(): void {
    this.onReconnect();
    this.pubSub.unsubscribe(this.channel, this);
  }

  onMessage(message: string): void {
    for (const line of message.split('\n')) this.dispatchLine(line);
  }

  private dispatchLine(message: string): void {
    const [member = '', seen, status] = message.split(' ', 3);
    const listeners = this.subscriptions.get(member);
    if (listeners === undefined) return;
    // What a master publishes its replicas may never have: whoever reports it reads it as they have it.
    if (this.confirmByRead) return requestReread(listeners);
    const payload = message.slice(member.length + (seen?.length ?? 0) + (status?.length ?? 0) + 3);
    const notice: TaskUpdate = {
      seen: Number(seen),
      status: status as TaskStatus,
      end: payload === '' ? undefined : parseTaskEnd(status as TaskStatus, payload),
    };
    for (const listener of listeners) listener.receive(notice);
  }

  /** What was published while the connection was away is lost: every waiter reads for itself. */
  onReconnect(): void {
    for (const listeners of this.subscriptions.values()) requestReread(listeners);
  }
}

function requestReread(listeners: Iterable<TaskSubscription>): void {
  for (const listener of listeners) listener.receive(undefined);
}

/** Says when a wait is over, as an `AbortSignal` does, which is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One request's ear. Keeps the latest notice until it is asked for. */
export class TaskSubscription {
  private readonly onClose: () => void;
  private latest: { notice: TaskUpdate | undefined } | undefined;
  private wake: (() => void) | undefined;

  constructor(end: () => void) {
    this.onClose = end;
  }

  receive(notice: TaskUpdate | undefined): void {
    this.latest = { notice };
    this.wake?.();
  }

  /**
   * The next notice; `look` when the waiter should read for itself (the connection came back), `over` at the deadline
   * or when `signal` aborts.
   */
  async next(milliseconds: number, signal?: CancelSignal): Promise<TaskUpdate | 'look' | 'over'> {
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
    this.onClose();
  }
}
