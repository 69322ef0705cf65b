import {
  type EmptyResult,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { sessionRequiredError } from '../sessions/session.ts';
import { readResource } from './read-resource.ts';

/** Subscriptions of a session, which the 2025 revisions have. */
export const subscriptionMethods: readonly McpMethod[] = [
  defineEdgeAdmittedMethod(
    'resources/subscribe',
    ANY_MCP_CALLER,
    SubscribeRequestSchema,
    ({ params }, call) => subscribe(params.uri, call),
  ),
  defineEdgeAdmittedMethod(
    'resources/unsubscribe',
    ANY_MCP_CALLER,
    UnsubscribeRequestSchema,
    ({ params }, call) => unsubscribe(params.uri, call),
  ),
];

/**
 * Subscribes the caller's session to a resource: its updates go out on the session's stream, wherever that is open.
 * Errors: those of reading it, `session_required`, `limit_subscriptions`.
 */
async function subscribe(uri: string, call: AdmittedCall): Promise<EmptyResult> {
  const sessionId = requireSession(call);
  await readResource(uri, call);
  await call.tenant.sessionSubscriptions.subscribe(call.identity, sessionId, uri);
  return {};
}

/** A URI that was not subscribed to is no error. Errors: `session_required`. */
async function unsubscribe(uri: string, call: AdmittedCall): Promise<EmptyResult> {
  await call.tenant.sessionSubscriptions.unsubscribe(requireSession(call), uri);
  return {};
}

function requireSession({ sessionId }: AdmittedCall): string {
  if (sessionId !== undefined) return sessionId;
  throw sessionRequiredError('Subscriptions belong to a session.');
}
