import type { EmptyResult } from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';
import { sessionRequiredError } from '../sessions/session.ts';
import { readResource } from './read-resource.ts';

/**
 * Subscribes the caller's session to a resource: its updates go out on the session's stream, wherever that is open.
 * Errors: those of reading it, `session_required`, `limit_subscriptions`.
 */
export async function subscribe(uri: string, call: AdmittedCall): Promise<EmptyResult> {
  const sessionId = requireSession(call);
  await readResource(uri, call);
  await call.tenant.sessionSubscriptions.subscribe(sessionId, uri);
  return {};
}

/** A URI that was not subscribed to is no error. Errors: `session_required`. */
export async function unsubscribe(uri: string, call: AdmittedCall): Promise<EmptyResult> {
  await call.tenant.sessionSubscriptions.unsubscribe(requireSession(call), uri);
  return {};
}

function requireSession({ sessionId }: AdmittedCall): string {
  if (sessionId !== undefined) return sessionId;
  throw sessionRequiredError('Subscriptions belong to a session.');
}
