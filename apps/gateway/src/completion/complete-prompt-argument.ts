import type { PromptSummary } from '@baton/agent-definitions';
import { isRecord, type JsonObject } from '@baton/protocol';
import {
  ARGUMENT_PLACEHOLDER,
  type ArgumentUse,
  OTHER_PLACEHOLDER,
  usesOfArgument,
  type Workflow,
} from '@baton/workflows';
import { admitCaller } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { findGuide, type Guide } from '../prompts/guides.ts';
import { PROMPT_ACCESS } from '../prompts/prompt-access.ts';
import { unknownPromptError } from '../prompts/unknown-prompt-error.ts';
import { resolveResourceUri } from '../resources/resolve-resource-uri.ts';
import type { CompletionValues } from '../resources/resource-kind.ts';
import type { Variables } from '../resources/uri-template.ts';
import { completionVariableOf } from './completion-variable.ts';

/**
 * Values of a workflow's argument: those of the first use that has any to offer, so that at most one list is read. `given`
 * are the other arguments so far. Errors: `prompt_not_found`, -32602 for an unknown argument.
 */
export async function promptArgumentValues(
  ref: { readonly type: 'ref/prompt'; readonly name: string },
  name: string,
  given: Variables,
  call: AdmittedCall,
): Promise<CompletionValues> {
  await admitCaller(call, PROMPT_ACCESS);
  const guide = findGuide(ref.name);
  if (guide !== undefined) return guideValues(guide, name, given, call);
  const [newest] = await call.tenant.workflows.newest([ref.name]);
  if (newest === undefined) return publicPromptValues(ref.name, name, call);
  const workflow = newest.definition as unknown as Workflow;
  if (!workflow.arguments.some((one) => one.name === name)) {
    throw unknownArgument(workflow, name);
  }
  for (const use of usesOfArgument(workflow, name, given)) {
    const values = valuesOfUse(use, call);
    if (values !== undefined) return values;
  }
  return { values: [] };
}

/** The argument of a guide is that of its tool. */
async function guideValues(
  guide: Guide,
  argument: string,
  given: Variables,
  call: AdmittedCall,
): Promise<CompletionValues> {
  if (!guide.arguments.some((one) => one.name === argument)) throw unknownArgument(guide, argument);
  const others = Object.fromEntries(
    Object.entries(given).filter(([name]) => name !== argument),
  ) as JsonObject;
  return (await valuesOfUse({ kind: 'tool', tool: guide.tool, argument, others }, call)) ?? { values: [] };
}

/** The argument of a public prompt is any text: nothing is known of it. Errors: `prompt_not_found` where there is no such prompt. */
async function publicPromptValues(
  prompt: string,
  name: string,
  { tenant }: AdmittedCall,
): Promise<CompletionValues> {
  const { entries } = await tenant.prompts.entriesOf([prompt]);
  const summary = entries[0]?.summary as PromptSummary | undefined;
  if (summary?.public !== true) throw unknownPromptError(prompt);
  if (!summary.arguments.some((one) => one.name === name))
    throw unknownArgument({ name: prompt, arguments: summary.arguments }, name);
  return { values: [] };
}

function unknownArgument(
  prompt: { readonly name: string; readonly arguments: readonly { readonly name: string }[] },
  name: string,
): RpcError {
  const names = prompt.arguments.map((one) => one.name).join(', ') || 'none';
  const message = `The prompt '${prompt.name}' has no argument '${name.slice(0, 100)}'; it has ${names}.`;
  return new RpcError(-32602, message, { argument: name.slice(0, 100) });
}

function valuesOfUse(use: ArgumentUse, call: AdmittedCall): Promise<CompletionValues> | undefined {
  if (use.kind === 'resource') return valuesOfUri(use.uri, call);
  const { tool, argument, others } = use;
  const properties = call.services.tools.get(tool)?.schemas.input['properties'];
  const schema = isRecord(properties) && Object.hasOwn(properties, argument) ? properties[argument] : {};
  const choices = isRecord(schema) ? choicesOf(schema) : undefined;
  if (choices !== undefined) return Promise.resolve({ values: choices });
  const named = completionVariableOf(tool, argument);
  return named?.kind.completions[named.variable]?.(projectOf(others), call);
}

function valuesOfUri(uri: string, call: AdmittedCall): Promise<CompletionValues> | undefined {
  const resolved = resolveResourceUri(uri);
  if (resolved === undefined) return undefined;
  const fields = Object.entries(resolved.variables);
  const asked = fields.find(([, value]) => value === ARGUMENT_PLACEHOLDER)?.[0];
  if (asked === undefined) return undefined;
  return resolved.kind.completions[asked]?.(knownVariables(fields), call);
}

/** The values that a tool's schema enumerates. */
function choicesOf({ enum: values, type }: Record<string, unknown>): string[] | undefined {
  if (Array.isArray(values)) return values.map(String);
  return type === 'boolean' || (Array.isArray(type) && type.includes('boolean'))
    ? ['true', 'false']
    : undefined;
}

/** Where tools look for tags and tasks: in their project, `default` when it is left out, and in its tag. */
function projectOf({ projectRoot: project = 'default', tag }: JsonObject): Variables {
  return knownVariables(Object.entries({ project, tag }));
}

/** The variables beside the one that is asked for; none where one of them is not known yet. */
function knownVariables(fields: readonly (readonly [string, unknown])[]): Variables {
  if (fields.some(([, value]) => value === OTHER_PLACEHOLDER)) return {};
  return Object.fromEntries(
    fields.filter(
      (field): field is [string, string] => typeof field[1] === 'string' && field[1] !== ARGUMENT_PLACEHOLDER,
    ),
  );
}
