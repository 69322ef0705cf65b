import {
  type GetPromptRequest,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import type { Tool } from '../tools/tool.ts';
import { promptResult, runPrompt } from './get-prompt.ts';
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
    getPromptMethod(async (params, call) => promptResult(await runPrompt(tools, params, call, log))),
  ];
}

/** `prompts/get` of a revision. */
export function getPromptMethod(
  answer: (params: GetPromptRequest['params'], call: AdmittedCall) => Promise<ServerResult>,
): McpMethod {
  return defineEdgeAdmittedMethod('prompts/get', PROMPT_ACCESS, GetPromptRequestSchema, ({ params }, call) =>
    answer(params, call),
  );
}
