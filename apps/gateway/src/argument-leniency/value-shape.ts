import { isRecord, type JsonObject } from '@baton/protocol';

/** What a JSON Schema lets a value be, as far as reading what callers write needs it. */
export interface ValueShape {
  /** The types that it names; empty where it names none, and may be anything. */
  readonly types: ReadonlySet<string>;
  /** The types in whose form it may be written too, as a schema of Baton's lists them. */
  readonly otherForms: ReadonlySet<string>;
  /** Whether null means something. */
  readonly takesNull: boolean;
  /** Whether a text is one of some words. */
  readonly isEnum: boolean;
  /** Whether a blank text is shorter than it allows, or the value has a pattern. */
  readonly refusesText: (text: string) => boolean;
  readonly items: ValueShape | undefined;
  readonly properties: ReadonlyMap<string, PropertyShape>;
  /** Whether it refuses properties that it does not name. */
  readonly isClosed: boolean;
}

export interface PropertyShape extends ValueShape {
  readonly isRequired: boolean;
}

const shapes = new WeakMap<object, ValueShape>();

/**
 * The shape of a schema. Of Baton's own schemas (`listsForms`) a list of types says first what a value becomes, then how it may be written;
 * of a tenant's, what it may be. Alternatives are one shape: of their properties, one is required where each of them requires it.
 */
export function shapeOfSchema(schema: JsonObject, listsForms: boolean): ValueShape {
  let shape = shapes.get(schema);
  if (shape === undefined) {
    shape = build(schema, listsForms, 0);
    shapes.set(schema, shape);
  }
  return shape;
}

const MAX_DEPTH = 8;

const ANYTHING: ValueShape = {
  types: new Set(),
  otherForms: new Set(),
  takesNull: true,
  isEnum: false,
  refusesText: () => false,
  items: undefined,
  properties: new Map(),
  isClosed: false,
};

function build(schema: unknown, listsForms: boolean, depth: number): ValueShape {
  // A reference is followed by whoever checks the value.
  if (!isRecord(schema) || depth > MAX_DEPTH || '$ref' in schema) return ANYTHING;
  const { anyOf, oneOf, allOf, properties, required } = schema;
  const named = [schema['type'] ?? []].flat().filter((type): type is string => typeof type === 'string');
  const values =
    'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  const alternatives = [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some : []));
  const others = [...alternatives, ...(Array.isArray(allOf) ? allOf : [])].map((one) =>
    build(one, listsForms, depth + 1),
  );
  const types = new Set(listsForms ? named.slice(0, 1) : named);
  const needed = Array.isArray(required) ? required : [];
  const own = new Map<string, PropertyShape>(
    Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => [
      name,
      { ...build(value, listsForms, depth + 1), isRequired: needed.includes(name) },
    ]),
  );
  for (const { types: theirs } of others) for (const type of theirs) types.add(type);
  const saysNothing = types.size === 0 && values === undefined;
  return {
    types,
    otherForms: new Set(listsForms ? named.slice(1) : []),
    takesNull: types.has('null') || (values?.includes(null) ?? false) || saysNothing,
    isEnum: values !== undefined || (others.length > 0 && others.every(({ isEnum }) => isEnum)),
    refusesText: textCheckOf(schema, others),
    items: isRecord(schema['items'])
      ? build(schema['items'], listsForms, depth + 1)
      : others.find(({ items }) => items !== undefined)?.items,
    properties: new Map([...alternativesOf(others), ...own]),
    isClosed: schema['additionalProperties'] === false || others.some(({ isClosed }) => isClosed),
  };
}

function textCheckOf(
  { minLength, pattern }: Record<string, unknown>,
  alternatives: readonly ValueShape[],
): ValueShape['refusesText'] {
  const least = typeof minLength === 'number' ? minLength : 0;
  // A tenant's pattern is never run here, where it could stall the loop: a field that has one takes no blank text.
  const hasPattern = typeof pattern === 'string';
  const ofTexts = alternatives.filter(({ types }) => types.has('string'));
  return (text) =>
    text.length < least ||
    hasPattern ||
    (ofTexts.length > 0 && ofTexts.every((one) => one.refusesText(text)));
}

function alternativesOf(shapesOfOthers: readonly ValueShape[]): Map<string, PropertyShape> {
  const found = new Map<string, PropertyShape>();
  for (const { properties } of shapesOfOthers) {
    for (const [name, property] of properties) {
      const first = found.get(name) ?? property;
      found.set(name, {
        ...first,
        takesNull: first.takesNull || property.takesNull,
        isRequired: shapesOfOthers.every((one) => one.properties.get(name)?.isRequired === true),
      });
    }
  }
  return found;
}
