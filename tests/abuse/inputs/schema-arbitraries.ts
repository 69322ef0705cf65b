import fc from 'fast-check';
import type { AnyJson } from '../../harness/mcp-client.ts';

/** Inputs generated from a JSON Schema: valid ones, valid ones with one mutation, and invalid ones. */

/** Existing values by field name (ids, projects), so that calls get past the first look-up. */
export type ExistingValues = Readonly<Record<string, readonly string[]>>;

/** Values that fit the schema. `name` is the field's name. */
export function validInputs(
  schema: AnyJson,
  live: ExistingValues,
  name = '',
  root: AnyJson = schema,
): fc.Arbitrary<unknown> {
  const known = live[name];
  const made = inputsByType(schema, live, name, root);
  return known === undefined || known.length === 0
    ? made
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: made });
}

function inputsByType(
  schema: AnyJson,
  live: ExistingValues,
  name: string,
  root: AnyJson,
): fc.Arbitrary<unknown> {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return anyJson;
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref
      .slice(2)
      .split('/')
      .reduce((at: AnyJson, step: string) => at?.[step], root);
    return validInputs(target, live, name, root);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return fc.oneof(...choices.map((choice: AnyJson) => validInputs(choice, live, name, root)));
  if (schema.allOf !== undefined) return validInputs(schema.allOf[0], live, name, root);
  const [kind] = [schema.type].flat();
  switch (kind) {
    case 'object':
      return objectInputs(schema, live, root);
    case 'array': {
      const maxLength = Math.min(schema.maxItems ?? 5, 5);
      const minLength = Math.min(schema.minItems ?? 0, maxLength);
      return fc.array(validInputs(schema.items ?? true, live, name, root), { minLength, maxLength });
    }
    case 'integer':
    case 'number':
      return numberInputs(schema, name);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return stringInputs(schema);
    default:
      return anyJson;
  }
}

function objectInputs(schema: AnyJson, live: ExistingValues, root: AnyJson): fc.Arbitrary<unknown> {
  const properties: Record<string, AnyJson> = schema.properties ?? {};
  const required: string[] = (schema.required ?? []).filter((name: string) => name in properties);
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, validInputs(field, live, name, root)]),
  );
  const made = fc.record(fields, { requiredKeys: required });
  const more = schema.additionalProperties;
  if (Object.keys(fields).length > 0 || more === false || more === undefined) return made;
  return fc.dictionary(plainText, validInputs(more, live, '', root), { maxKeys: 5 });
}

function numberInputs(schema: AnyJson, name: string): fc.Arbitrary<number> {
  const min = schema.minimum ?? schema.exclusiveMinimum ?? -1_000;
  // A long wait that the input asks for is no hang, and would only cost time.
  const max = /wait/i.test(name) ? 100 : (schema.maximum ?? schema.exclusiveMaximum ?? 1_000_000);
  if (schema.type === 'number') return fc.double({ min, max, noNaN: true });
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
}

function stringInputs(schema: AnyJson): fc.Arbitrary<string> {
  const max = schema.maxLength ?? 200;
  const min = Math.min(schema.minLength ?? 0, max);
  if (typeof schema.pattern === 'string')
    return fc.stringMatching(new RegExp(schema.pattern, 'u'), { maxLength: 64 });
  const lengths = { minLength: min, maxLength: Math.min(max, min + 60) };
  return fc.oneof(
    fc.string({ ...lengths, unit: 'grapheme' }),
    fc.string({ ...lengths, unit: 'binary' }),
    // At the limit itself, with characters of one and of two bytes.
    fc.constantFrom('x', '\u00e9').map((character) => character.repeat(Math.min(max, 200_000))),
  );
}

const plainText = fc.string({ minLength: 1, maxLength: 12 });
const anyJson = fc.jsonValue({ maxDepth: 3 });

/** Values that rarely fit a schema, or fit and are unusual. */
export const unusualValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER + 1,
    -2_147_483_649,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e',
    '../../etc/passwd',
    '%00',
    '*',
    '{{args.x}}',
    '__proto__',
    'constructor',
    '[object Object]',
    '-0',
    '1e999',
    '0x10',
    ' 7 ',
    'NaN',
    [],
    {},
    [[]],
    [{}],
    { length: -1 },
    { toString: 1 },
    // oxlint-disable-next-line unicorn/no-thenable -- what looks like a promise is what is tried
    { then: 1 },
    { constructor: 1 },
    { hasOwnProperty: null },
    Array.from({ length: 300 }, () => 0),
  ),
  anyJson,
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(1_001, 10_001, 200_001, 600_000).map((length) => 'A'.repeat(length)),
  fc.constant('\u{1f980}'.repeat(60_000)),
  fc.integer({ min: 40, max: 58 }).map(nested),
);

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Values at the limits of a schema, one below and one above. */
function boundaryValues(schema: AnyJson): fc.Arbitrary<unknown> {
  const edges: unknown[] = [];
  for (const edge of [schema?.minimum, schema?.maximum])
    if (typeof edge === 'number') edges.push(edge - 1, edge, edge + 1, String(edge), edge + 0.5);
  for (const edge of [schema?.minLength, schema?.maxLength]) {
    if (typeof edge !== 'number' || edge > 900_000) continue;
    for (const length of [edge - 1, edge, edge + 1]) if (length >= 0) edges.push('y'.repeat(length));
  }
  for (const edge of [schema?.minItems, schema?.maxItems])
    if (typeof edge === 'number') edges.push(Array.from({ length: edge + 1 }, () => 1));
  return edges.length === 0 ? unusualValues : fc.oneof(fc.constantFrom(...edges), unusualValues);
}

/** Valid values with one mutation: a field at any depth replaced, removed, added or set to a boundary. */
export function mutatedInputs(schema: AnyJson, live: ExistingValues): fc.Arbitrary<unknown> {
  const right = validInputs(schema, live);
  const properties = Object.entries<AnyJson>(schema.properties ?? {});
  const anywhere = fc
    .tuple(right, fc.nat(), unusualValues, fc.constantFrom('replace', 'drop', 'extra'))
    .map(([value, at, wrong, how]) => mutateValue(value, at, wrong, how));
  if (properties.length === 0) return anywhere;
  const atBoundary = fc
    .constantFrom(...properties)
    .chain(([name, field]) =>
      fc.tuple(right, boundaryValues(field)).map(([value, edge]) => ({ ...(value as object), [name]: edge })),
    );
  return fc.oneof(anywhere, atBoundary);
}

/** Mutates the `at`-th field of a value, counted through all of its objects and arrays. */
function mutateValue(value: unknown, at: number, wrong: unknown, how: string): unknown {
  const copy: AnyJson = structuredClone(value);
  const places: (readonly [holder: AnyJson, key: string])[] = [];
  const walk = (holder: AnyJson) => {
    if (typeof holder !== 'object' || holder === null || places.length > 500) return;
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      walk(holder[key]);
    }
  };
  walk(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return { surprise: wrong };
  const [holder, key] = place;
  if (how === 'replace') holder[key] = wrong;
  else if (how === 'extra' && !Array.isArray(holder)) holder[`${key}x`] = wrong;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

/** A mix of valid, mutated and invalid inputs, weighted by how much each has found. */
export function mixedInputs(schema: AnyJson, live: ExistingValues): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: validInputs(schema, live) },
    { weight: 5, arbitrary: mutatedInputs(schema, live) },
    { weight: 1, arbitrary: unusualValues },
  );
}
