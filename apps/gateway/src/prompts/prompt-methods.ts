import {
  type GetPromptRequest,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { promptResult, runPrompt } from './get-prompt.ts';
import { listPrompts } from './list-prompts.ts';
import { PROMPT_ACCESS } from './prompt-access.ts';

/**
 * MCP prompts: a tenant's workflows, its public prompts, and the guides that every tenant has. `get-prompt` runs a workflow in a task, or renders a
 * public prompt, `guides` renders a guide, `run-workflow` carries the effects of a workflow out.
 */
export const PROMPT_CAPABILITIES = { prompts: { listChanged: true } };

export const promptMethods: readonly McpMethod[] = [
  defineEdgeAdmittedMethod('prompts/list', PROMPT_ACCESS, ListPromptsRequestSchema, ({ params }, call) =>
    listPrompts(call.tenant, params?.cursor),
  ),
  getPromptMethod(async (params, call) => promptResult(await runPrompt(params, call))),
];

/** `prompts/get` of a revision. */
export function getPromptMethod(
  answer: (params: GetPromptRequest['params'], call: AdmittedCall) => Promise<ServerResult>,
): McpMethod {
  return defineEdgeAdmittedMethod('prompts/get', PROMPT_ACCESS, GetPromptRequestSchema, ({ params }, call) =>
    answer(params, call),
  );
}
