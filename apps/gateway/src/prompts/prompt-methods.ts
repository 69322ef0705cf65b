import type { StoredDefinition } from '@baton/store';
import type { Workflow } from '@baton/workflows';
import {
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  type Prompt,
} from '@modelcontextprotocol/sdk/types.js';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import type { Tool } from '../tools/tool.ts';
import { getPrompt } from './get-prompt.ts';
import { PROMPT_ACCESS } from './prompt-access.ts';

/**
 * MCP prompts: a tenant's workflows. `get-prompt` runs one in a task, `run-workflow` carries its effects out, `call-step`
 * calls the tool of a step, `workflow-tools` holds definitions against the tools.
 */
export const PROMPT_CAPABILITIES = { prompts: { listChanged: true } };

export function promptMethods(tools: ReadonlyMap<string, Tool>, log: (error: unknown) => void): McpMethod[] {
  return [
    defineEdgeAdmittedMethod(
      'prompts/list',
      PROMPT_ACCESS,
      ListPromptsRequestSchema,
      async ({ params }, call) => {
        const { items, ...next } = await call.tenant.workflows.page('prompts', params?.cursor);
        return { prompts: items.map(promptOf), ...next };
      },
    ),
    defineEdgeAdmittedMethod('prompts/get', PROMPT_ACCESS, GetPromptRequestSchema, ({ params }, call) =>
      getPrompt(tools, params, call, log),
    ),
  ];
}

function promptOf({ definition }: StoredDefinition): Prompt {
  const { name, title, description, arguments: args } = definition as unknown as Workflow;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    arguments: args.map(({ name, description, required }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      required,
    })),
  };
}
