import type { Subscriber } from '../redis/pub-sub.ts';
import type { Connection } from '../redis/connection.ts';
import { parseTaskTopic, type TenantKeys } from '../records/keys.ts';
import { TenantPart } from './tenant-context.ts';
import { CHANGE_FEED_TTL } from '../records/durations.ts';

/** A change of a tenant's data. */
export type Change =
  | {
      readonly kind: 'project';
      readonly project: string;
      /** The kinds of the changed fields: their names up to the first colon. */
      readonly fields: ReadonlySet<string>;
      readonly created: boolean;
      /** True when fields were added or deleted. */
      readonly shaped: boolean;
    }
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly principal: string;
      /** True when the task, or a request of it, was added to a list or removed from one. */
      readonly listed: boolean;
      /** True when there is only more of a streamed answer to read. */
      readonly streamed?: boolean;
    }
  /** A workflow was stored or deleted. */
  | { readonly kind: 'workflow'; readonly workflow: string }
  /** An agent was stored, changed or deleted; `tools` is false when no list of tools can have changed with it. */
  | { readonly kind: 'agent'; readonly agent: string; readonly tools: boolean }
  /** A prompt was stored or deleted. */
  | { readonly kind: 'prompt'; readonly prompt: string }
  /** A session subscribed to a resource, or unsubscribed from it. */
  | { readonly kind: 'subscription'; readonly session: string; readonly uri: string; readonly on: boolean }
  /** A session's stream was opened on some replica; a session has one at a time. */
  | { readonly kind: 'stream'; readonly session: string; readonly stream: string };

/** Receives a tenant's changes. */
export interface ChangeSubscriber extends Omit<Subscriber, 'onMessage'> {
  onChange(change: Change): void;
}

/**
 * A tenant's changes, published by the scripts that make them: on one channel, and only while some replica renews the
 * record that says that it subscribes.
 */
export class ChangeFeed extends TenantPart {
  /** Once this resolves, `subscriber` receives each change, until the returned function is called. Errors: `unavailable`. */
  async subscribe(subscriber: ChangeSubscriber): Promise<() => void> {
    const { connection, keys } = this.context;
    const parsing: Subscriber = {
      onMessage: (message) => subscriber.onChange(parseChange(message)),
      onDisconnect: () => subscriber.onDisconnect?.(),
      onReconnect: () => subscriber.onReconnect(),
    };
    const unsubscribe = () => connection.pubSub.unsubscribe(keys.changeChannel, parsing);
    try {
      await connection.pubSub.subscribe(keys.changeChannel, parsing);
      await this.renewSubscription();
    } catch (error) {
      unsubscribe();
      throw error;
    }
    return unsubscribe;
  }

  /** To be called in each CHANGE_FEED_RENEW_INTERVAL. False when the record had expired, so that changes may be missed. */
  async renewSubscription(): Promise<boolean> {
    const { connection, keys } = this.context;
    const before = await connection.command((client) =>
      client.set(keys.activeChangeChannel, keys.changeChannel, 'PX', CHANGE_FEED_TTL, 'GET'),
    );
    return before !== null;
  }

  /** Publishes that a session's stream was opened on this replica. */
  async publishStreamOpened(session: string, stream: string): Promise<void> {
    await publish(this.context.connection, this.context.keys, { kind: 'stream', session, stream });
  }
}

async function publish(connection: Connection, keys: TenantKeys, change: Change): Promise<void> {
  await connection.command((client) => client.publish(keys.changeChannel, JSON.stringify(change)));
}

/** Parses what a script or `publish` has published. */
function parseChange(message: string): Change {
  const { fields, member, ...said } = JSON.parse(message) as { fields?: string; member?: string };
  const change: unknown = {
    ...said,
    ...(fields === undefined ? {} : { fields: new Set(fields.split(' ')) }),
    ...(member === undefined ? {} : { taskId: parseTaskTopic(member).taskId }),
  };
  return change as Change;
}
