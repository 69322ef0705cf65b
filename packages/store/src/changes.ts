import type { Ear } from './channels.ts';
import type { Connection } from './connection.ts';
import { parseMember, type TenantKeys } from './keys.ts';
import type { Place } from './place.ts';
import { LISTENING } from './ttl.ts';

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
export interface ChangeEar extends Omit<Ear, 'hear'> {
  hear(change: Change): void;
}

/**
 * A tenant's changes, as the scripts that make them announce them: on one channel, and only while a replica that has
 * someone to tell keeps the record that says so.
 */
export class Changes {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  /** When this resolves, `ear` hears of each change from then on, until `leave` is called. Errors: `unavailable`. */
  async listen(ear: ChangeEar): Promise<() => void> {
    const { connection, keys } = this.place;
    const whole: Ear = {
      hear: (message) => ear.hear(parseChange(message)),
      away: () => ear.away?.(),
      back: () => ear.back(),
    };
    const leave = () => connection.channels.leave(keys.changes, whole);
    try {
      await connection.channels.join(keys.changes, whole);
      await this.keepListening();
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** To be called within each LISTEN_INTERVAL. False when changes may have been made that nobody was told of. */
  async keepListening(): Promise<boolean> {
    const { connection, keys } = this.place;
    const before = await connection.command((client) =>
      client.set(keys.listeners, keys.changes, 'PX', LISTENING, 'GET'),
    );
    return before !== null;
  }

  /** Tells those who listen that a session's stream was opened here. */
  async streamOpened(session: string, stream: string): Promise<void> {
    await publish(this.place.connection, this.place.keys, { kind: 'stream', session, stream });
  }

  /** Tells those who listen to look again at whom they admitted. Never fails: they look now and then in any case. */
  async admissionChanged(): Promise<void> {
    await admissionChanged(this.place.connection, this.place.keys);
  }
}

export async function admissionChanged(connection: Connection, keys: TenantKeys): Promise<void> {
  await publish(connection, keys, { kind: 'admission' }).catch(() => {});
}

async function publish(connection: Connection, keys: TenantKeys, change: Change): Promise<void> {
  await connection.command((client) => client.publish(keys.changes, JSON.stringify(change)));
}

/** What a script or `publish` announced. */
function parseChange(message: string): Change {
  const { fields, member, ...said } = JSON.parse(message) as { fields?: string; member?: string };
  const change: unknown = {
    ...said,
    ...(fields === undefined ? {} : { fields: new Set(fields.split(' ')) }),
    ...(member === undefined ? {} : { taskId: parseMember(member).taskId }),
  };
  return change as Change;
}
