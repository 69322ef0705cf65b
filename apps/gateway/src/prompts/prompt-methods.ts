import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import type { Tool } from '../tools/tool.ts';
import { getPrompt } from './get-prompt.ts';
import { listPrompts } from './list-prompts.ts';
import { PROMPT_ACCESS } from './prompt-access.ts';

/**
 * MCP prompts: a tenant's workflows, its public prompts, and the guides that every tenant has. `get-prompt` runs a workflow in a task, `get-public-prompt` renders a prompt, `guides` renders a guide, `run-workflow` carries its effects out, `call-step`
 * calls the tool of a step, `workflow-tools` holds definitions against the tools.
 */
export const PROMPT_CAPABILITIES = { prompts: { listChanged: true } };

export function promptMethods(tools: ReadonlyMap<string, Tool>, log: (error: unknown) => void): McpMethod[] {
  return [
    defineEdgeAdmittedMethod('prompts/list', PROMPT_ACCESS, ListPromptsRequestSchema, ({ params }, call) =>
      listPrompts(call.tenant, params?.cursor),
    ),
    defineEdgeAdmittedMethod('prompts/get', PROMPT_ACCESS, GetPromptRequestSchema, ({ params }, call) =>
      getPrompt(tools, params, call, log),
    ),
  ];
}
