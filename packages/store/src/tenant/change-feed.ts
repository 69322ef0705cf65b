import type { Subscriber } from '../redis/pub-sub.ts';
import type { Connection } from '../redis/connection.ts';
import { parseTopic, type TenantKeys } from '../records/keys.ts';
import type { TenantContext } from './tenant-context.ts';
import { CHANGE_FEED_TTL } from '../records/ttl.ts';

/** Something of a tenant has changed. */
export type Change =
  | {
      readonly kind: 'project';
      readonly project: string;
      /** Of which kinds the changed fields are: their names up to the first colon. */
      readonly fields: ReadonlySet<string>;
      readonly created: boolean;
      /** True when fields came or went. */
      readonly shaped: boolean;
    }
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly principal: string;
      /** True when the task, or a request of it, joined or left those that are listed. */
      readonly listed: boolean;
    }
  /** A session subscribed to a resource, or will not hear of it any more. */
  | { readonly kind: 'subscription'; readonly session: string; readonly uri: string; readonly on: boolean }
  /** A session's stream was opened somewhere: there is one at a time. */
  | { readonly kind: 'stream'; readonly session: string; readonly stream: string }
  /** A key was revoked, the tenant suspended or changed: whoever was admitted before may not be now. */
  | { readonly kind: 'admission' };

/** Who hears of a tenant's changes. */
export interface ChangeSubscriber extends Omit<Subscriber, 'onMessage'> {
  onChange(change: Change): void;
}

/**
 * A tenant's changes, as the scripts that make them announce them: on one channel, and only while a replica that has
 * someone to tell keeps the record that says so.
 */
export class ChangeFeed {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** When this resolves, `ear` hears of each change from then on, until `leave` is called. Errors: `unavailable`. */
  async subscribe(ear: ChangeSubscriber): Promise<() => void> {
    const { connection, keys } = this.context;
    const whole: Subscriber = {
      onMessage: (message) => ear.onChange(parseChange(message)),
      onDisconnect: () => ear.onDisconnect?.(),
      onReconnect: () => ear.onReconnect(),
    };
    const leave = () => connection.pubSub.unsubscribe(keys.changeChannel, whole);
    try {
      await connection.pubSub.subscribe(keys.changeChannel, whole);
      await this.renewSubscription();
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** To be called within each LISTEN_INTERVAL. False when changes may have been made that nobody was told of. */
  async renewSubscription(): Promise<boolean> {
    const { connection, keys } = this.context;
    const before = await connection.command((client) =>
      client.set(keys.listeners, keys.changeChannel, 'PX', CHANGE_FEED_TTL, 'GET'),
    );
    return before !== null;
  }

  /** Tells those who listen that a session's stream was opened here. */
  async publishStreamOpened(session: string, stream: string): Promise<void> {
    await publish(this.context.connection, this.context.keys, { kind: 'stream', session, stream });
  }

  /** Tells those who listen to look again at whom they admitted. Never fails: they look now and then in any case. */
  async publishAdmissionChange(): Promise<void> {
    await publishAdmissionChange(this.context.connection, this.context.keys);
  }
}

export async function publishAdmissionChange(connection: Connection, keys: TenantKeys): Promise<void> {
  await publish(connection, keys, { kind: 'admission' }).catch(() => {});
}

async function publish(connection: Connection, keys: TenantKeys, change: Change): Promise<void> {
  await connection.command((client) => client.publish(keys.changeChannel, JSON.stringify(change)));
}

/** What a script or `publish` announced. */
function parseChange(message: string): Change {
  const { fields, member, ...said } = JSON.parse(message) as { fields?: string; member?: string };
  const change: unknown = {
    ...said,
    ...(fields === undefined ? {} : { fields: new Set(fields.split(' ')) }),
    ...(member === undefined ? {} : { taskId: parseTopic(member).taskId }),
  };
  return change as Change;
}
