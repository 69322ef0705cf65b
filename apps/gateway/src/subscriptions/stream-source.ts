import { randomUUID } from 'node:crypto';
import type { TenantStore } from '@baton/store';
import type { Session } from '../sessions/session.ts';

/** What a notification stream is opened for, and what that is subscribed to. */
export interface StreamSource {
  /** There is one open stream of each: a later one takes its place. */
  readonly id: string;
  /** Tells other replicas that a stream of it was opened here. Errors: `unavailable`. */
  announce(streamId: string): Promise<void>;
  /** The URIs that it is subscribed to. Errors: `session_not_found`, `unavailable`. */
  subscriptions(): Promise<Iterable<string>>;
}

/** An MCP session: it subscribes at any replica, and has one stream in all. */
export function sessionSource({ id }: Session, tenant: TenantStore): StreamSource {
  return {
    id,
    announce: (streamId) => tenant.changes.publishStreamOpened(id, streamId),
    subscriptions: () => tenant.sessionSubscriptions.refresh(id),
  };
}

/** A request that names what it is to be told of: that ends with its connection, and Redis holds nothing of it. */
export function requestSource(uris: readonly string[]): StreamSource {
  return { id: randomUUID(), announce: async () => {}, subscriptions: async () => uris };
}
