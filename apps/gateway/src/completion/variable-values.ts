import { admitCaller } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { resourceKinds } from '../resources/catalog.ts';
import type { CompletionValues } from '../resources/resource-kind.ts';
import type { Variables } from '../resources/uri-template.ts';

/** Values of a resource template's variable. Errors: -32602 for an unknown template or variable. */
export async function variableValues(
  ref: { readonly type: 'ref/resource'; readonly uri: string },
  name: string,
  given: Variables,
  call: AdmittedCall,
): Promise<CompletionValues> {
  const kind = resourceKinds.find(
    ({ template }) => template.text === ref.uri && template.variables.length > 0,
  );
  if (kind === undefined)
    throw new RpcError(-32602, `Unknown resource template: ${ref.uri.slice(0, 200)}`, { ref });
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
