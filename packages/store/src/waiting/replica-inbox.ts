import { isEnded, type TaskStatus } from '@baton/protocol';
import type { Keyspace } from '../records/keys.ts';
import { type ParkedTask, parseTaskEnd } from '../records/task-view.ts';
import type { Connection } from '../redis/connection.ts';
import type { PubSub, Subscriber } from '../redis/pub-sub.ts';
import type { AdmissionChanges, AdmittedKey } from './admission-changes.ts';
import { InboxSubscription, type TaskUpdate } from './inbox-subscription.ts';

/**
 * The channel of one replica. Scripts publish to it only updates that a request on this replica waits for, so no replica
 * reads another's traffic. An update may come before the reply of the script that registered for it: subscribe first.
 */
export class ReplicaInbox implements Subscriber {
  readonly channel: string;
  /** As which a script registers it for the end of a task alone: it is told nothing before, and stays registered until then. */
  readonly endChannel: string;
  private readonly pubSub: PubSub;
  private readonly subscriptions = new Map<string, Set<InboxSubscription>>();
  private readonly confirmByRead: boolean;
  private readonly admissionChanges: AdmissionChanges;
  private connected = true;

  private constructor(
    pubSub: PubSub,
    channel: string,
    confirmByRead: boolean,
    admissionChanges: AdmissionChanges,
  ) {
    this.pubSub = pubSub;
    this.channel = channel;
    this.endChannel = `!${channel}`;
    this.confirmByRead = confirmByRead;
    this.admissionChanges = admissionChanges;
  }

  static async open(
    connection: Connection,
    keyspace: Keyspace,
    replica: string,
    admissionChanges: AdmissionChanges,
  ): Promise<ReplicaInbox> {
    const { pubSub, waitsForReplicas } = connection;
    const inbox = new ReplicaInbox(pubSub, keyspace.inbox(replica), waitsForReplicas, admissionChanges);
    await connection.pubSub.subscribe(inbox.channel, inbox);
    return inbox;
  }

  /**
   * Subscribes to a topic (see `Tasks.topic`, `TenantKeys.pendingTopic`); `close` the subscription when the wait is over. It reads
   * again also when `key`, with which the call is held, may have ended. Of those with the same `group` one is told.
   */
  subscribe(topic: string, key?: AdmittedKey, group?: string): InboxSubscription {
    const leave = key && this.admissionChanges.subscribe(key, () => subscription.receive(undefined));
    const close = () => {
      leave?.();
      const others = this.subscriptions.get(topic);
      others?.delete(subscription);
      if (others?.size === 0) this.subscriptions.delete(topic);
    };
    const wakeNext = () => nextOfGroup(this.subscriptions.get(topic), subscription)?.receive(undefined);
    const subscription: InboxSubscription = new InboxSubscription(close, wakeNext, group);
    const all = this.subscriptions.get(topic) ?? new Set();
    this.subscriptions.set(topic, all.add(subscription));
    return subscription;
  }

  close(): void {
    this.onReconnect();
    this.pubSub.unsubscribe(this.channel, this);
  }

  onMessage(message: string): void {
    for (const line of message.split('\n')) this.dispatchLine(line);
  }

  private dispatchLine(line: string): void {
    const [topic = '', seen, status] = line.split(' ', 3);
    const subscriptions = this.subscriptions.get(topic);
    if (subscriptions === undefined) return;
    // A failover may undo what a master has published: the replicated read has what the replicas confirmed.
    // While the connection is new, an end of the key may have been missed: READ_TASK_AND_REGISTER_WAITER checks it.
    const isUncertain = this.confirmByRead || !this.connected;
    const payload = line.slice(topic.length + (seen?.length ?? 0) + (status?.length ?? 0) + 3);
    const update: TaskUpdate | undefined = isUncertain
      ? undefined
      : { seen: Number(seen), ...parseUpdate(status as TaskStatus, payload) };
    const groups = new Set<string>();
    for (const subscription of subscriptions) {
      const { group } = subscription;
      if (group !== undefined && groups.has(group)) continue;
      if (group !== undefined) groups.add(group);
      subscription.receive(update);
    }
  }

  onDisconnect(): void {
    this.connected = false;
  }

  /** Messages published while the connection was lost are missed: every subscription reads for itself. */
  onReconnect(): void {
    this.connected = true;
    for (const subscriptions of this.subscriptions.values()) requestReread(subscriptions);
  }
}

function parseUpdate(status: TaskStatus, payload: string): Omit<TaskUpdate, 'seen'> {
  if (payload === '') return { status, end: undefined };
  if (isEnded(status)) return { status, end: parseTaskEnd(status, payload) };
  return { status, end: undefined, parked: JSON.parse(payload) as ParkedTask };
}

/** The one that came next after it: whoever came before was told already. */
function nextOfGroup(
  subscriptions: Iterable<InboxSubscription> = [],
  one: InboxSubscription,
): InboxSubscription | undefined {
  let isBehind = false;
  for (const subscription of subscriptions) {
    if (isBehind && one.group !== undefined && subscription.group === one.group) return subscription;
    if (subscription === one) isBehind = true;
  }
  return undefined;
}

function requestReread(subscriptions: Iterable<InboxSubscription>): void {
  for (const subscription of subscriptions) subscription.receive(undefined);
}
