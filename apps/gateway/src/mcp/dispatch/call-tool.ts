import type { Call, Tool } from '../../call/call.ts';
import { clientTraits } from '../../call/client-traits.ts';
import { RpcError } from '../../json-rpc/rpc-error.ts';
import {
  findTool,
  unknownToolHint,
  runToolCall,
  type ToolCallOutcome,
  type ToolCallParams,
} from '../../tool-calls/run-tool-call.ts';
import { changedResourceLinks } from './changed-resource-links.ts';
import { formatToolError, formatToolReply, type ToolResult } from '../../tool-results/tool-result.ts';

/** What a call of a tool has come to, and the tool. */
export interface CalledTool {
  readonly tool: Tool;
  readonly outcome: ToolCallOutcome;
}

/** Runs a tool. Errors: an `RpcError` for an unknown one, and what HTTP has a status for (`isMcpHttpError`). */
export async function callTool(params: ToolCallParams, call: Call): Promise<CalledTool> {
  const tool = await findTool(params.name, call);
  if (tool === undefined) throw unknownToolError(params.name, call);
  return { tool, outcome: await runToolCall(tool, params, call) };
}

/**
 * The result of a call. What went wrong in a tool is a result with `isError`, so that a model can read it and correct itself.
 */
export async function formatCalledTool({ tool, outcome }: CalledTool, call: Call): Promise<ToolResult> {
  if (outcome.kind === 'failed') {
    call.logEvent('refused', { tool: tool.name, code: outcome.error.code });
    return formatToolError(outcome.error, undefined, outcome.continuation);
  }
  const { reply, continuation } = outcome;
  const { takesLinks, textForm } = call.client ?? clientTraits(undefined);
  const links = takesLinks ? changedResourceLinks(tool, reply.structured, call) : [];
  return formatToolReply(reply, textForm, links, continuation);
}

/** As MCP has it for a name that no tool has. */
export function unknownToolError(name: string, call: Call): RpcError {
  return new RpcError(-32602, `Unknown tool: ${name.slice(0, 200)}${unknownToolHint(name, call)}`);
}
