import { isRecord, type Json, type JsonObject } from '@baton/protocol';
import { parseTemplate, type Reference, TemplateError } from './parse-template.ts';
import type { ValueBudget } from './value-budget.ts';

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

/** Arguments with what is known filled in; names stand where something is missing, or has no room. */
export interface Expansion {
  readonly args: JsonObject;
  readonly missing: readonly MissingValue[];
}

/** A resource's URI with what is known filled in. */
export interface UriExpansion {
  readonly uri: string;
  readonly missing: readonly MissingValue[];
  /** Arguments of its path that were not given. In its query nothing need stand for one. */
  readonly notGiven: readonly string[];
}

/** Characters of JSON that values may take in the guidance of one step. */
const MAX_GUIDANCE_LENGTH = 8_000;

/**
 * Fills templates in, argument by argument. A template that is one reference keeps the JSON type of its value; within a
 * longer string a value stands as text. An optional argument that was not given leaves its field out, and is empty within
 * a longer string.
 */
export function expandArguments(
  templates: Readonly<Record<string, Json>>,
  scope: TemplateContext,
  budget: ValueBudget,
): Expansion {
  const missing: MissingValue[] = [];
  const fields = Object.entries(templates).map(([name, template]) => {
    const look = lookup(scope, budget, (one) => missing.push({ ...one, argument: name }));
    return [name, expand(template, look)] as const;
  });
  return { args: Object.fromEntries(fields.filter(isGiven)), missing };
}

/**
 * Fills a resource's URI in. A URI that is one reference is taken as it stands; in a longer one each value is
 * percent-encoded, so that it stays one segment. `absent` stands for an argument of its path that was not given.
 */
export function expandUri(
  template: string,
  scope: TemplateContext,
  budget: ValueBudget,
  absent = '',
): UriExpansion {
  const missing: MissingValue[] = [];
  const look = lookup(scope, budget, (one) => missing.push({ ...one, argument: 'uri' }));
  const parts = parseTemplate(template);
  const show = (value: Json) =>
    parts.length === 1 ? asText(value) : encodeURIComponent(asText(value).toWellFormed());
  const notGiven: string[] = [];
  let uri = '';
  for (const part of parts) {
    const written = typeof part === 'string' ? part : look(part, show);
    if (written !== undefined) uri += written;
    else if (typeof part !== 'string' && part.from === 'args' && !uri.includes('?')) {
      uri += show(absent);
      notGiven.push(part.name);
    }
  }
  return { uri, missing, notGiven };
}

/** A step's guidance as text with what is known filled in; text that is no template is taken as it is. */
export function expandGuidance(guidance: string, scope: TemplateContext, budget: ValueBudget): string {
  try {
    const look = lookup(scope, budget.part(MAX_GUIDANCE_LENGTH), () => {});
    return asText(expandText(guidance, look) ?? '');
  } catch (thrown) {
    if (thrown instanceof TemplateError) return guidance;
    throw thrown;
  }
}

type Show<Shown> = (value: Json) => Shown;
/** What stands for a reference: its value as `show` writes it, or its name; undefined for an argument that was not given. */
type Lookup = <Shown extends Json>(reference: Reference, show: Show<Shown>) => Shown | undefined;

function lookup(
  scope: TemplateContext,
  budget: ValueBudget,
  onMissing: (missing: Omit<MissingValue, 'argument'>) => void,
): Lookup {
  return (reference, show) => {
    const { value, name, missing } = resolve(reference, scope);
    if (missing !== undefined) onMissing(missing);
    else if (value === undefined) return undefined;
    const shown = value === undefined ? undefined : budget.take(value, show);
    return shown === undefined ? show(name) : shown;
  };
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
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return look(only, asIs);
  return parts.map((part) => (typeof part === 'string' ? part : (look(part, asText) ?? ''))).join('');
}

const asIs = (value: Json): Json => value;

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Resolved {
  readonly value: Json | undefined;
  /** How the value is named where it cannot stand. */
  readonly name: string;
  readonly missing?: Omit<MissingValue, 'argument'>;
}

function resolve(reference: Reference, { args, outputs, variables }: TemplateContext): Resolved {
  if (reference.from === 'args') {
    const value = Object.hasOwn(args, reference.name) ? args[reference.name] : undefined;
    return { value, name: `<argument '${reference.name}'>` };
  }
  if (reference.from === 'task') {
    const { variable, path } = reference;
    const all = variables();
    const held = Object.hasOwn(all, variable) ? all[variable] : undefined;
    const value = held === undefined ? undefined : goDown(held, path);
    const field = [variable, ...path].join('.');
    const name = `<variable '${field}'>`;
    return value === undefined
      ? { value, name, missing: { kind: 'variable', step: '', field } }
      : { value, name };
  }
  const { binding, path } = reference;
  const { step, output } = outputs.get(binding) ?? { step: binding, output: undefined };
  const field = path.join('.');
  const value = output === undefined ? undefined : goDown(output, path);
  const name = field === '' ? `<output from ${step}>` : `<field '${field}' from ${step}>`;
  if (value !== undefined) return { value, name };
  return { value, name, missing: { kind: output === undefined ? 'output' : 'field', step, field } };
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
