import { isRecord, type Json, type JsonObject } from '@baton/protocol';
import { parseTemplate, type Reference, TemplateError } from './parse-template.ts';

/** What templates may refer to. */
export interface TemplateContext {
  readonly args: Readonly<Record<string, string>>;
  /** By binding: the step that makes it, and its output once there is one. */
  readonly outputs: ReadonlyMap<string, { readonly step: string; readonly output: Json | undefined }>;
  /** The task's variables by their names, which have dots. */
  readonly variables: () => JsonObject;
}

/** Something that a template refers to and that is not known. `output`: the step has none; `field`: its output, or `variable`: the task lacks it. */
export interface MissingValue {
  readonly kind: 'output' | 'field' | 'variable';
  readonly argument: string;
  readonly step: string;
  readonly field: string;
}

/** Arguments with what is known filled in; placeholders stand where something is missing. */
export type Expansion =
  | { readonly kind: 'expanded'; readonly args: JsonObject; readonly missing: readonly MissingValue[] }
  | { readonly kind: 'too_large' };

/** A resource's URI with what is known filled in. */
export type UriExpansion =
  | { readonly kind: 'expanded'; readonly uri: string; readonly missing: readonly MissingValue[] }
  | { readonly kind: 'too_large' };

/** Characters of JSON that the arguments of one call may grow to. */
export const MAX_CALL_ARGUMENTS_LENGTH = 262_144;
/** Characters that guidance may grow to; above, placeholders stand for every value. */
const MAX_GUIDANCE_LENGTH = 8_000;

/**
 * Fills templates in, argument by argument. A template that is one reference keeps the JSON type of its value; within a
 * longer string a value stands as text. An optional argument that was not given leaves its field out, and is empty within
 * a longer string.
 */
export function expandArguments(
  templates: Readonly<Record<string, Json>>,
  scope: TemplateContext,
): Expansion {
  return withinBudget(scope, (lookFor) => {
    const fields = Object.entries(templates).map(
      ([name, template]) => [name, expand(template, lookFor(name))] as const,
    );
    return { args: Object.fromEntries(fields.filter(isGiven)) };
  });
}

/**
 * Fills a resource's URI in. A URI that is one reference is taken as it stands; in a longer one each value is
 * percent-encoded, so that it stays one segment.
 */
export function expandUri(template: string, scope: TemplateContext): UriExpansion {
  return withinBudget(scope, (lookFor) => {
    const look = lookFor('uri');
    const parts = parseTemplate(template);
    const encode = (text: string) => (parts.length === 1 ? text : encodeURIComponent(text.toWellFormed()));
    const written = parts.map((part) => (typeof part === 'string' ? part : encode(asText(look(part)))));
    return { uri: written.join('') };
  });
}

/** A step's guidance as text with what is known filled in; text that is no template is taken as it is. */
export function expandGuidance(guidance: string, scope: TemplateContext): string {
  try {
    const filled = withinBudget(scope, (lookFor) => ({
      text: asText(expandText(guidance, lookFor('guidance'))),
    }));
    if (filled.kind === 'expanded' && filled.text.length <= MAX_GUIDANCE_LENGTH) return filled.text;
    return asText(expandText(guidance, (reference) => resolve(reference, namesOnly(scope)).value));
  } catch (thrown) {
    if (thrown instanceof TemplateError) return guidance;
    throw thrown;
  }
}

/** The same names without their values. */
export function namesOnly({ args, outputs }: TemplateContext): TemplateContext {
  return {
    args: Object.fromEntries(Object.keys(args).map((name) => [name, `<argument '${name}'>`])),
    outputs: new Map([...outputs].map(([binding, { step }]) => [binding, { step, output: undefined }])),
    variables: () => ({}),
  };
}

type Lookup = (reference: Reference) => Json | undefined;

function withinBudget<T>(
  scope: TemplateContext,
  expandWith: (lookFor: (argument: string) => Lookup) => T,
):
  | (T & { readonly kind: 'expanded'; readonly missing: readonly MissingValue[] })
  | { readonly kind: 'too_large' } {
  const missing: MissingValue[] = [];
  const budget = new Budget();
  const lookFor = (argument: string) => (reference: Reference) => {
    const found = resolve(reference, scope);
    if (found.missing !== undefined) missing.push({ ...found.missing, argument });
    return budget.spend(found.value);
  };
  try {
    return { kind: 'expanded', ...expandWith(lookFor), missing };
  } catch (thrown) {
    if (thrown instanceof OverBudget) return { kind: 'too_large' };
    throw thrown;
  }
}

const isGiven = (field: readonly [string, Json | undefined]): field is [string, Json] =>
  field[1] !== undefined;

function expand(template: Json, look: Lookup): Json | undefined {
  if (typeof template === 'string') return expandText(template, look);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template))
    return template.map((one) => expand(one, look)).filter((one) => one !== undefined);
  const fields = Object.entries(template).map(([name, one]) => [name, expand(one, look)] as const);
  return Object.fromEntries(fields.filter(isGiven));
}

function expandText(template: string, look: Lookup): Json | undefined {
  const parts = parseTemplate(template);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return look(only);
  return parts.map((part) => (typeof part === 'string' ? part : asText(look(part)))).join('');
}

function asText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Resolved = { readonly value: Json | undefined; readonly missing?: Omit<MissingValue, 'argument'> };

function resolve(reference: Reference, { args, outputs, variables }: TemplateContext): Resolved {
  if (reference.from === 'args') {
    return { value: Object.hasOwn(args, reference.name) ? args[reference.name] : undefined };
  }
  if (reference.from === 'task') {
    const { variable, path } = reference;
    const all = variables();
    const held = Object.hasOwn(all, variable) ? all[variable] : undefined;
    const found = held === undefined ? undefined : goDown(held, path);
    if (found !== undefined) return { value: found };
    const field = [variable, ...path].join('.');
    return { value: `<variable '${field}'>`, missing: { kind: 'variable', step: '', field } };
  }
  const { binding, path } = reference;
  const { step, output } = outputs.get(binding) ?? { step: binding, output: undefined };
  const field = path.join('.');
  const found = output === undefined ? undefined : goDown(output, path);
  if (found !== undefined) return { value: found };
  const value = field === '' ? `<output from ${step}>` : `<field '${field}' from ${step}>`;
  return { value, missing: { kind: output === undefined ? 'output' : 'field', step, field } };
}

/** Own fields only: what an object inherits is nobody's output. */
function goDown(output: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = output;
  for (const name of path) {
    const isIndex = Array.isArray(value) && /^\d{1,9}$/.test(name);
    if (isIndex) value = (value as Json[])[Number(name)];
    else value = isRecord(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

class OverBudget extends Error {}

/** Counts what references bring in: a definition is small, and what it repeats may be large. */
class Budget {
  private left = MAX_CALL_ARGUMENTS_LENGTH;

  spend(value: Json | undefined): Json | undefined {
    if (value === undefined) return value;
    this.left -= JSON.stringify(value).length;
    if (this.left < 0) throw new OverBudget();
    return value;
  }
}
