import { type JsonObject, toBatonError } from '@baton/protocol';
import { findAgentTool } from '../agents/agent-tool.ts';
import { admitCaller, ANY_MCP_CALLER, admitCallerUnlessAdmitted } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { isMcpHttpError } from '../call/error-classification.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { outcomeOf, outcomeOfError } from '../workflows/call-outcome.ts';
import { CONTINUED_TASK_META_KEY, continueWorkflow } from '../workflows/continue-workflow.ts';
import type { RequestMeta, Tool } from '../tools/tool.ts';
import { formatToolError, formatToolReply } from '../tools/tool-result.ts';

/**
 * Runs a tool and gives its result (MCP, CallToolResult) as the JSON that leaves. What goes wrong in a tool is a result with
 * `isError`, so that a model can read it and correct itself. Errors: an `RpcError` for an unknown tool, and what HTTP has a
 * status for (`isMcpHttpError`).
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: { name: string; arguments?: unknown; _meta?: RequestMeta | undefined },
  call: Call,
  log: (error: unknown) => void,
): Promise<string> {
  const tool = tools.get(params.name) ?? (await findAgentTool(params.name, call));
  if (tool === undefined) {
    await admitCaller(call, ANY_MCP_CALLER);
    throw new RpcError(-32602, `Unknown tool: ${params.name.slice(0, 200)}`);
  }
  try {
    const reply = await tool.call(params.arguments, call, params._meta ?? {});
    await admitCallerUnlessAdmitted(call, tool.access);
    const taskId = params._meta?.[CONTINUED_TASK_META_KEY];
    if (taskId === undefined) return await formatToolReply(reply);
    const made = {
      tool: tool.name,
      arguments: params.arguments,
      outcome: outcomeOf(reply.structured as JsonObject, tool.startTask !== undefined),
    };
    return await formatToolReply(reply, await continueWorkflow(taskId, made, call, log));
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    if (isMcpHttpError(error)) throw error;
    await admitCallerUnlessAdmitted(call, tool.access);
    const taskId = params._meta?.[CONTINUED_TASK_META_KEY];
    if (taskId === undefined) return formatToolError(error);
    const made = { tool: tool.name, arguments: params.arguments, outcome: outcomeOfError(error) };
    return formatToolError(error, undefined, await continueWorkflow(taskId, made, call, log));
  }
}
