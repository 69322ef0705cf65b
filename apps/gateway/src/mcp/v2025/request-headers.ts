import { BatonError } from '@baton/protocol';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyRequest } from 'fastify';
import { REVISION_OF_2026 } from '../v2026/request/revision.ts';

/** MCP 2025-11-25, basic/transports, Session Management. */
export const SESSION_ID_HEADER = 'mcp-session-id';

/** The revision that a request says it is of. */
export function protocolVersionOf({ headers }: FastifyRequest): string | undefined {
  const { 'mcp-protocol-version': version } = headers;
  return version === undefined ? undefined : String(version);
}

/** MCP 2025-11-25, basic/transports, Protocol Version Header. Errors: `invalid_arguments`. */
export function requireKnownProtocolVersion(request: FastifyRequest): void {
  const version = protocolVersionOf(request);
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
  // Its requests and notifications do not come here.
  const problem =
    version === REVISION_OF_2026
      ? `'${version}' has no sessions and takes no JSON-RPC responses: what it asks is answered by inputResponses. With a session or a response the header names the session's revision: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`
      : `'${version.slice(0, 100)}' is not spoken here, but ${[REVISION_OF_2026, ...SUPPORTED_PROTOCOL_VERSIONS].join(', ')}.`;
  throw new BatonError('invalid_arguments', `Mcp-Protocol-Version: ${problem}`, {
    field: 'Mcp-Protocol-Version',
  });
}
