import { type CompleteResult, CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { truncate } from '@baton/protocol';
import { admitCaller, ANY_MCP_CALLER } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { MAX_SHOWN_URI } from '../resources/read-resource.ts';
import { resourceKinds } from '../resources/catalog.ts';
import type { CompletionValues } from '../resources/resource-kind.ts';
import type { Variables } from '../resources/uri-template.ts';
import { promptArgumentValues } from './complete-prompt-argument.ts';

/**
 * MCP completion: of variables of resource templates, and of arguments of prompts (`complete-prompt-argument`), whose values are
 * those of the tool's argument that they feed (`completion-variable`).
 */
export const COMPLETION_CAPABILITIES = { completions: {} };

/** MCP, server/utilities/completion: at most so many values. */
const MAX_VALUES = 100;

/** What a resource's kind and prompts declare is checked once it is known which is asked for. */
export const completionMethod: McpMethod = defineEdgeAdmittedMethod(
  'completion/complete',
  ANY_MCP_CALLER,
  CompleteRequestSchema,
  async ({ params: { ref, argument, context } }, call) => {
    const given = context?.arguments ?? {};
    const values =
      ref.type === 'ref/prompt'
        ? await promptArgumentValues(ref, argument.name, given, call)
        : await variableValues(ref, argument.name, given, call);
    return fittingValues(values, argument.value);
  },
);

/** Values of a resource template's variable. Errors: -32602 for an unknown template or variable. */
async function variableValues(
  ref: { readonly type: 'ref/resource'; readonly uri: string },
  name: string,
  given: Variables,
  call: AdmittedCall,
): Promise<CompletionValues> {
  const kinds = resourceKinds.filter(({ template }) => template.variables.length > 0);
  // A query may be left out, in the template as in a URI of it.
  const kind =
    kinds.find(({ template }) => template.text === ref.uri) ??
    kinds.find(({ template }) => template.path === ref.uri);
  if (kind === undefined) {
    const shown = { type: ref.type, uri: truncate(ref.uri, MAX_SHOWN_URI) };
    throw new RpcError(-32602, `Unknown resource template: ${truncate(ref.uri, 200)}`, { ref: shown });
  }
  const completion = Object.hasOwn(kind.completions, name) ? kind.completions[name] : undefined;
  if (completion === undefined && !kind.template.variables.includes(name)) {
    const variables = kind.template.variables.join(', ');
    const message = `${kind.template.text} has no variable '${name.slice(0, 100)}'; it has ${variables}.`;
    throw new RpcError(-32602, message, { argument: name.slice(0, 100) });
  }
  await admitCaller(call, kind.access);
  // Nobody can guess a cursor.
  return completion === undefined ? { values: [] } : completion(given, call);
}

/** Of the values those that begin with what was typed so far, whatever its case. */
function fittingValues({ values, partial = false }: CompletionValues, typed: string): CompleteResult {
  const start = typed.toLowerCase();
  const fitting = values.filter((value) => value.toLowerCase().startsWith(start));
  return {
    completion: {
      values: fitting.slice(0, MAX_VALUES),
      ...(partial ? {} : { total: fitting.length }),
      hasMore: partial || fitting.length > MAX_VALUES,
    },
  };
}
