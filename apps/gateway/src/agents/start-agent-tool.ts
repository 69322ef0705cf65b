import { askAgentOperation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import { deferAdmission, scriptAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import { startOperationForTool } from '../tools/start-operation.ts';
import type { RequestMeta } from '../tools/tool.ts';

/**
 * Starts a specialist for a call of its tool: `args` fit its parameters, and it was enabled when the call was read.
 * Errors: those of OPEN, `agent_not_found`.
 */
export async function startAgentTool(
  agentId: string,
  args: JsonObject,
  call: AdmittedCall,
  meta: RequestMeta,
): Promise<ToolReply> {
  const deferred = deferAdmission(call, scriptAdmittedAccess(MCP_SCOPE));
  return startOperationForTool(askAgentOperation, { agentId, arguments: args }, deferred, meta);
}
