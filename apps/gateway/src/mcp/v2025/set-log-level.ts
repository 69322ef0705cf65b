import { SetLevelRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER } from '../../call/access.ts';
import { defineEdgeAdmittedMethod } from '../../json-rpc/mcp-method.ts';
import { sessionRequiredError } from '../../sessions/session.ts';
import { LOG_LEVELS } from '../dispatch/log-messages.ts';

/**
 * `logging/setLevel` (MCP 2025-11-25, server/utilities/logging): from then on the calls of the session send log messages of this level, at every replica.
 * Errors: `session_required`, `unavailable`.
 */
export const setLogLevelMethod = defineEdgeAdmittedMethod(
  'logging/setLevel',
  ANY_MCP_CALLER,
  SetLevelRequestSchema,
  async ({ params }, { sessionId, tenant }) => {
    if (sessionId === undefined) throw sessionRequiredError('A log level belongs to a session.');
    await tenant.sessions.setLogLevel(sessionId, LOG_LEVELS.indexOf(params.level));
    return {};
  },
);
