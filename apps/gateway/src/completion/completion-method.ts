import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER } from '../call/access.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import type { Tool } from '../tools/tool.ts';
import { promptArgumentValues } from './complete-prompt-argument.ts';
import { variableValues } from './variable-values.ts';
import { fittingValues } from './fitting-values.ts';

/**
 * MCP completion: of variables of resource templates (`complete-variable`), and of arguments of prompts
 * (`complete-prompt-argument`), whose values are those of the tool's argument that they feed (`named-variable`).
 */
export const COMPLETION_CAPABILITIES = { completions: {} };

/** What a resource's kind and prompts declare is checked once it is known which is asked for. */
export function completionMethod(tools: ReadonlyMap<string, Tool>): McpMethod {
  return defineEdgeAdmittedMethod(
    'completion/complete',
    ANY_MCP_CALLER,
    CompleteRequestSchema,
    async ({ params: { ref, argument, context } }, call) => {
      const given = context?.arguments ?? {};
      const values =
        ref.type === 'ref/prompt'
          ? await promptArgumentValues(tools, ref, argument.name, given, call)
          : await variableValues(ref, argument.name, given, call);
      return fittingValues(values, argument.value);
    },
  );
}
