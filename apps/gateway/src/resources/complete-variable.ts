import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/sdk/types.js';
import { admitCaller } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { resourceKinds } from './catalog.ts';

/** MCP, server/utilities/completion: at most so many values. */
const MAX_VALUES = 100;

/** Values of a template's variable that begin with what was typed so far, whatever its case. */
export async function completeVariable(
  { ref, argument, context }: CompleteRequest['params'],
  call: AdmittedCall,
): Promise<CompleteResult> {
  if (ref.type !== 'ref/resource')
    throw new RpcError(-32602, `Unknown prompt: ${ref.name.slice(0, 200)}`, { ref });
  const kind = resourceKinds.find(
    ({ template }) => template.text === ref.uri && template.variables.length > 0,
  );
  if (kind === undefined)
    throw new RpcError(-32602, `Unknown resource template: ${ref.uri.slice(0, 200)}`, { ref });
  const completion = Object.hasOwn(kind.completions, argument.name)
    ? kind.completions[argument.name]
    : undefined;
  if (completion === undefined) {
    const variables = kind.template.variables.join(', ');
    const message = `${kind.template.text} has no variable '${argument.name.slice(0, 100)}'; it has ${variables}.`;
    throw new RpcError(-32602, message, { argument: argument.name.slice(0, 100) });
  }
  await admitCaller(call, kind.access);
  const { values, partial = false } = await completion(context?.arguments ?? {}, call);
  const typed = argument.value.toLowerCase();
  const fitting = values.filter((value) => value.toLowerCase().startsWith(typed));
  return {
    completion: {
      values: fitting.slice(0, MAX_VALUES),
      ...(partial ? {} : { total: fitting.length }),
      hasMore: partial || fitting.length > MAX_VALUES,
    },
  };
}
