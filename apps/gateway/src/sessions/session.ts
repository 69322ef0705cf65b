import { randomBytes } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import {
  type InitializeRequest,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/**
 * An MCP session of the 2025 revisions: whose it is, and what its client is and can do. All of it is in the id that the
 * client shows, so that any replica knows its client, and Redis holds nothing of it.
 */
const session = z.object({
  id: z.string(),
  tenant: z.string(),
  principal: z.string(),
  protocolVersion: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  client: z.object({ name: z.string(), version: z.string() }),
  /** Milliseconds since 1970. */
  issuedAt: z.number(),
});
export type Session = z.infer<typeof session> & {
  /** The level of log messages that its calls send, as Redis had it last (MCP 2025-11-25, server/utilities/logging): 0 for `debug`, 7 for `emergency`. */
  logLevel?: number | undefined;
};

/** A session's id is a header of every request, and proxies take 8 KiB of headers together. */
const MAX_CAPABILITIES = 600;
const MAX_NAME = 64;
const MAX_VERSION = 32;

export function createSession(
  owner: { readonly tenant: string; readonly principal: string },
  keyId: string,
  { protocolVersion, capabilities, clientInfo }: InitializeRequest['params'],
): Session {
  return {
    ...owner,
    // The key that opened it: the keys of a tenant share what sessions take in Redis.
    id: `${keyId}.${randomBytes(16).toString('base64url')}`,
    protocolVersion: negotiatedVersion(protocolVersion),
    capabilities: shortenCapabilities(capabilities),
    client: { name: shorten(clientInfo.name, MAX_NAME), version: shorten(clientInfo.version, MAX_VERSION) },
    issuedAt: Date.now(),
  };
}

/** The revision of a session, as the SDK negotiates it: what the client asks for, if it is known here. */
export function negotiatedVersion(asked: string): string {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
}

export function formatSession(one: Session): string {
  return JSON.stringify(one);
}

/** The session that `formatSession` wrote, or undefined for another text. */
export function parseSession(text: string): Session | undefined {
  const parsed = session.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}

/** What a client without a session is advised. */
export const HOW_TO_OPEN_A_SESSION =
  'Send initialize, and with each request the Mcp-Session-Id of its response.';

/** A refusal of what only a session has. */
export function sessionRequiredError(what: string): BatonError {
  return new BatonError('session_required', `${what} ${HOW_TO_OPEN_A_SESSION}`, { header: 'Mcp-Session-Id' });
}

/** Capabilities that are many keep their names: whether a client can do something is in the name. */
function shortenCapabilities(
  capabilities: InitializeRequest['params']['capabilities'],
): Record<string, unknown> {
  const { experimental: _, ...known } = capabilities;
  if (JSON.stringify(known).length <= MAX_CAPABILITIES) return known;
  const names = Object.keys(known).filter((name) => CLIENT_CAPABILITIES.has(name));
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** The client's capabilities of the 2025 revisions. */
const CLIENT_CAPABILITIES = new Set(['sampling', 'elicitation', 'roots', 'tasks']);

function shorten(text: string, most: number): string {
  return text.slice(0, most).toWellFormed();
}
