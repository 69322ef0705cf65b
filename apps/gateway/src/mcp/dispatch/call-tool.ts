import type { Call } from '../../call/call.ts';
import { clientTraits } from '../../call/client-traits.ts';
import { RpcError } from '../../json-rpc/rpc-error.ts';
import { findTool, runToolCall, type ToolCallParams } from '../../tool-calls/run-tool-call.ts';
import type { Tool } from '../../tools/tool.ts';
import { changedResourceLinks } from './changed-resource-links.ts';
import { formatToolError, formatToolReply, type ToolResult } from '../../tool-results/tool-result.ts';

/**
 * Runs a tool and gives its result. What goes wrong in a tool is a result with
 * `isError`, so that a model can read it and correct itself. Errors: an `RpcError` for an unknown tool, and what HTTP has a
 * status for (`isMcpHttpError`).
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: ToolCallParams,
  call: Call,
  log: (error: unknown) => void,
): Promise<ToolResult> {
  const tool = await findTool(tools, params.name, call);
  if (tool === undefined) throw new RpcError(-32602, `Unknown tool: ${params.name.slice(0, 200)}`);
  const outcome = await runToolCall(tool, params, call, log);
  if (outcome.kind === 'failed') {
    call.logEvent('refused', { tool: params.name, code: outcome.error.code });
    return formatToolError(outcome.error, undefined, outcome.continuation);
  }
  const { reply, continuation } = outcome;
  const { takesLinks, textForm } = call.client ?? clientTraits(undefined);
  const links = takesLinks ? changedResourceLinks(tools, tool, reply.structured) : [];
  return formatToolReply(reply, textForm, links, continuation);
}
