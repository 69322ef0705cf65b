import {
  type CallToolRequest,
  CallToolRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { MCP_OR_AGENT_SCOPE, scriptAdmittedAccess } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { parseRequest } from '../../json-rpc/parse-request.ts';

/** `tools/call` of a revision: its caller is admitted as the tool declares. */
export function callToolMethod(
  callTool: (params: CallToolRequest['params'], call: Call) => Promise<ServerResult>,
): McpMethod {
  const name = 'tools/call';
  return {
    name,
    access: scriptAdmittedAccess(MCP_OR_AGENT_SCOPE),
    answer: async (params, call) =>
      callTool(parseRequest(CallToolRequestSchema, { method: name, params }).params, call),
  };
}
