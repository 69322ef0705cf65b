import { isRecord } from '@baton/protocol';
import { mergeSchemas, type SchemaNode, uniteSchemas } from './combined-schema.ts';

/**
 * A JSON Schema as every host takes it: hosts hand the schemas of all tools to a model's API together, and an API that refuses one
 * refuses the request. One `type` a value, `items` on every array, values of `enum` as text; no references, no combinators, no empty
 * schema, and no keyword beyond those that all of them know. What fits the whole schema may be more, and less: the server checks that one.
 */
export function toHostSchema(schema: SchemaNode, maxDepth = MAX_DEPTH): HostObjectSchema {
  const source = { root: schema, left: MAX_STEPS, maxDepth };
  const whole = resolve(schema, source);
  return simplify({ ...whole, type: 'object' }, source, 0) as HostObjectSchema;
}

export type HostObjectSchema = { readonly type: 'object'; readonly [key: string]: unknown };

/** Values that nest deeper are listed with their type alone; it ends references to themselves too. */
const MAX_DEPTH = 5;
/** A schema whose references fan out is shown without what is over these. */
const MAX_STEPS = 2_000;

/** The schema that references point into, and how many more of its parts are looked at. */
interface Source {
  readonly root: SchemaNode;
  readonly maxDepth: number;
  left: number;
}

/** Names of properties as Gemini takes them, which are the narrowest. */
const PROPERTY_NAME = /^[A-Za-z_]\w{0,63}$/;

/** The keywords that are kept, by the type of the value. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: [],
  array: ['minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
};

function simplify(node: SchemaNode, source: Source, depth: number): SchemaNode {
  const type = typeOf(node);
  return {
    ...describe(node, type),
    ...(type === 'array' ? { items: within(elementOf(node), source, depth) } : {}),
    ...(type === 'object' ? propertiesOf(node, source, depth) : {}),
  };
}

/** A value within another; where it nests too deep, without its own. */
function within(value: unknown, source: Source, depth: number): SchemaNode {
  const node = resolve(isRecord(value) ? value : {}, source);
  if (depth < source.maxDepth && source.left > 0) return simplify(node, source, depth + 1);
  const type = typeOf(node);
  if (type !== 'array') return describe(node, type);
  return { ...describe(node, type), items: { type: typeOf(resolve(elementOf(node), source)) } };
}

function elementOf({ items, prefixItems }: SchemaNode): SchemaNode {
  const element: unknown = isRecord(items) ? items : Array.isArray(prefixItems) ? prefixItems[0] : undefined;
  return isRecord(element) ? element : {};
}

/** What is said of a value but what is in it. */
function describe(node: SchemaNode, type: string): SchemaNode {
  const { title, description } = node;
  const shown: Record<string, unknown> = { type };
  if (typeof title === 'string') shown['title'] = title;
  const words = [description, ...wordsOf(node, type)].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  if (words.length > 0) shown['description'] = words.join('. ');
  for (const keyword of KEYWORDS[type] ?? []) {
    if (typeof node[keyword] === 'number') shown[keyword] = node[keyword];
  }
  if (isOfType(node['default'], type)) shown['default'] = node['default'];
  return type === 'string' ? { ...shown, ...textRules(node) } : shown;
}

function propertiesOf({ properties, required }: SchemaNode, source: Source, depth: number): SchemaNode {
  if (!isRecord(properties)) return {};
  const named = Object.entries(properties).filter(
    ([name, value]) => PROPERTY_NAME.test(name) && value !== false,
  );
  const names = new Set(named.map(([name]) => name));
  const needed = (Array.isArray(required) ? required : []).filter((name) => names.has(name as string));
  return {
    ...(named.length === 0
      ? {}
      : {
          properties: Object.fromEntries(named.map(([name, value]) => [name, within(value, source, depth)])),
        }),
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

/** Formats and patterns that all APIs read; the server checks the others. */
function textRules({ pattern, format, ...node }: SchemaNode): SchemaNode {
  const values = valuesOf(node).filter((value) => typeof value === 'string' && value !== '');
  return {
    ...(values.length === 0 ? {} : { enum: values }),
    ...(typeof pattern === 'string' && !pattern.includes('(?') ? { pattern } : {}),
    ...(format === 'date-time' ? { format } : {}),
  };
}

/** What a schema says that has no keyword here. */
function wordsOf(node: SchemaNode, type: string): string[] {
  const { properties, required } = node;
  const values =
    type === 'integer' || type === 'number' ? valuesOf(node).filter((one) => isOfType(one, type)) : [];
  const unnamed = isRecord(properties)
    ? Object.keys(properties).filter(
        (name) => !PROPERTY_NAME.test(name) && Array.isArray(required) && required.includes(name),
      )
    : [];
  return [
    ...(values.length === 0 ? [] : [`One of ${values.join(', ')}`]),
    ...(unnamed.length === 0 ? [] : [`Needs ${unnamed.map((name) => JSON.stringify(name)).join(', ')} too`]),
  ];
}

function valuesOf(node: SchemaNode): unknown[] {
  if ('const' in node) return [node['const']];
  return Array.isArray(node['enum']) ? node['enum'] : [];
}

/** A schema with its reference followed and its alternatives made one. */
function resolve(node: SchemaNode, source: Source): SchemaNode {
  const { $ref, allOf, anyOf, oneOf, ...own } = node;
  source.left -= 1;
  if (source.left < 0) return own;
  const inner = (value: unknown) => resolve(isRecord(value) ? value : {}, source);
  const parts = [own];
  if (typeof $ref === 'string') parts.push(inner(referenced($ref, source.root)));
  if (Array.isArray(allOf)) parts.push(...allOf.map(inner));
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    const values = alternatives.map(inner).filter((one) => one['type'] !== 'null' && one['const'] !== null);
    parts.push(uniteSchemas(values.map((one) => ({ ...one, type: typeOf(one, own) }))));
  }
  return parts.length === 1 ? own : parts.reduce(mergeSchemas);
}

/** What a reference within the schema points to; undefined for any other. */
function referenced($ref: string, root: SchemaNode): unknown {
  if (!$ref.startsWith('#')) return undefined;
  const steps = $ref.slice(1).split('/').slice(1);
  return steps.reduce<unknown>((node, step) => {
    const name = decodeStep(step);
    return (isRecord(node) || Array.isArray(node)) && Object.hasOwn(node, name)
      ? (node as Record<string, unknown>)[name]
      : undefined;
  }, root);
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** By which keywords a schema without a type is known, the first that it has. */
const TYPE_BY_KEYWORD: readonly (readonly [string, string])[] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['patternProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['minItems', 'array'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['multipleOf', 'number'],
];

/** The one type of a value: the first that a schema names, or else the one that its values or keywords tell. */
function typeOf(node: SchemaNode, beside: SchemaNode = {}): string {
  const named = [node['type'], beside['type']]
    .flat()
    .find((type): type is string => typeof type === 'string' && type in KEYWORDS);
  if (named !== undefined) return named;
  const value = valuesOf(node).find((one) => one !== null);
  if (value !== undefined) return jsonTypeOf(value);
  return TYPE_BY_KEYWORD.find(([keyword]) => keyword in node)?.[1] ?? 'string';
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function isOfType(value: unknown, type: string): boolean {
  if (value === undefined || value === null) return false;
  const is = jsonTypeOf(value);
  return is === type || (is === 'integer' && type === 'number');
}
