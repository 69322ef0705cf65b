import { toolNameOf } from '@baton/agent-definitions';
import { askAgentOperation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import { deferAdmission, scriptAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import { startOperationAsTask, startOperationForTool } from '../tools/start-operation.ts';
import type { RequestMeta, StartedTask } from '../tools/tool.ts';

const ACCESS = scriptAdmittedAccess(MCP_SCOPE);

/**
 * Starts a specialist for a call of its tool: `args` fit its parameters, and it was enabled when the call was read.
 * Errors: those of OPEN, `agent_not_found`.
 */
export async function startAgentForTool(
  agentId: string,
  args: JsonObject,
  call: AdmittedCall,
  meta: RequestMeta,
): Promise<ToolReply> {
  const input = { agentId, arguments: args };
  return startOperationForTool(
    askAgentOperation,
    input,
    deferAdmission(call, ACCESS),
    meta,
    toolNameOf(agentId),
  );
}

/** The same as a task. */
export async function startAgentAsTask(
  agentId: string,
  args: JsonObject,
  call: AdmittedCall,
  meta: RequestMeta,
): Promise<StartedTask> {
  const input = { agentId, arguments: args };
  return startOperationAsTask(
    askAgentOperation,
    input,
    deferAdmission(call, ACCESS),
    meta,
    toolNameOf(agentId),
  );
}
