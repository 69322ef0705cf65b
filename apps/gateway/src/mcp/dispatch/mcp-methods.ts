import type { CallToolRequest } from '@modelcontextprotocol/sdk/types.js';
import { listToolsMethod } from '../../agents/list-tools.ts';
import type { Call } from '../../call/call.ts';
import { completionMethod } from '../../completion/completion-method.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { rethrowAsRpcError } from '../../json-rpc/rpc-error.ts';
import { promptMethods } from '../../prompts/prompt-methods.ts';
import { resourceMethods } from '../../resources/resource-methods.ts';
import type { ToolResult } from '../../tool-results/tool-result.ts';
import type { Tool } from '../../tools/tool.ts';
import { callTool } from './call-tool.ts';

export const SERVER_NAME = { name: 'baton', title: 'Baton' };

export const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** What clients of every revision of MCP may ask for. */
export interface McpMethods {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly version: string;
  readonly log: (error: unknown) => void;
  /** Every method but `tools/call` and those that one revision has for itself. */
  readonly shared: readonly McpMethod[];
  /** What a `tools/call` comes to. Throws what it answers as an error: an `RpcError`, always. */
  callTool(params: CallToolRequest['params'], call: Call): Promise<ToolResult>;
}

export function createMcpMethods(
  tools: ReadonlyMap<string, Tool>,
  version: string,
  log: (error: unknown) => void,
): McpMethods {
  return {
    tools,
    version,
    log,
    shared: [
      listToolsMethod(tools),
      ...promptMethods(tools, log),
      ...resourceMethods,
      completionMethod(tools),
    ],
    callTool: (params, call) => rethrowAsRpcError(log, () => callTool(tools, params, call, log)),
  };
}
