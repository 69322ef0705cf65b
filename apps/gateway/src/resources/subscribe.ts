import type { EmptyResult } from '@modelcontextprotocol/sdk/types.js';
import { sessionRequired } from '../sessions/session.ts';
import { readResource } from './read-resource.ts';
import type { AdmittedCall } from './resource-kind.ts';

/**
 * Has the caller's session hear of a resource, on the stream that it holds somewhere or opens later.
 * Errors: those of reading it, `session_required`, `limit_subscriptions`.
 */
export async function subscribe(uri: string, visit: AdmittedCall): Promise<EmptyResult> {
  const id = sessionOf(visit);
  await readResource(uri, visit);
  await visit.call.tenant.sessions.subscribe(id, uri);
  return {};
}

/** Whatever it was subscribed to; what it was not is no error. Errors: `session_required`. */
export async function unsubscribe(uri: string, visit: AdmittedCall): Promise<EmptyResult> {
  await visit.call.tenant.sessions.unsubscribe(sessionOf(visit), uri);
  return {};
}

function sessionOf({ call }: AdmittedCall): string {
  if (call.session !== undefined) return call.session.id;
  throw sessionRequired('Subscriptions belong to a session.');
}
