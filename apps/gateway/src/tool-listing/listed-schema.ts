import { isRecord, type JsonObject } from '@baton/protocol';
import { toHostSchema } from './host-schema.ts';

/** A schema of an object, as MCP lists it. */
export type ObjectSchema = { readonly type: 'object'; readonly [key: string]: unknown };

/** Bounds that a model writes within anyhow; the tool refuses what is over them, and names them. */
const BOUNDS: ReadonlySet<string> = new Set([
  '$schema',
  'minLength',
  'maxLength',
  'maxItems',
  'propertyNames',
]);
/** What says more of a value than its type. */
const DETAILS: ReadonlySet<string> = new Set([
  'properties',
  'required',
  'items',
  'oneOf',
  'anyOf',
  'additionalProperties',
]);
const WORDS: ReadonlySet<string> = new Set(['description']);

/** What nests deeper than this is listed with its type alone; of inputs, elements of arrays count too. */
const MAX_INPUT_DEPTH = 3;
const MAX_OUTPUT_DEPTH = 0;

/**
 * A tool's input schema as `tools/list` has it: hosts put it into the context of a model in every call, so it says what a model writes by,
 * and no more, in the form that every host takes. The tool takes more than it says; the whole one is in the OpenAPI document.
 */
export function toListedInput(schema: ObjectSchema): ObjectSchema {
  return shorten(toHostSchema(schema, MAX_INPUT_DEPTH), 0, Infinity, BOUNDS) as ObjectSchema;
}

/** An output schema, shortened alike, without words: clients check results by it, and hosts do not show it to models. */
export function toListedOutput(schema: ObjectSchema): ObjectSchema {
  return shorten(schema, 0, MAX_OUTPUT_DEPTH, new Set([...BOUNDS, ...WORDS])) as ObjectSchema;
}

function shorten(
  schema: Readonly<Record<string, unknown>>,
  depth: number,
  most: number,
  left: ReadonlySet<string>,
): JsonObject {
  const kept = Object.entries(schema).filter(
    ([key, value]) =>
      !left.has(key) &&
      !isNoBound(key, value) &&
      !isNoRule(key, value) &&
      !(depth > most && DETAILS.has(key)),
  );
  const within = (value: unknown, at: number): unknown =>
    isRecord(value) ? shorten(value, at, most, left) : value;
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key === 'properties' && isRecord(value)) {
        const properties = Object.entries(value).map(([name, one]) => [name, within(one, depth + 1)]);
        return [key, Object.fromEntries(properties)];
      }
      if (Array.isArray(value)) return [key, value.map((one) => within(one, depth))];
      // `default` and `const` are values, and no schemas.
      return [key, key === 'default' || key === 'const' ? value : within(value, depth)];
    }),
  ) as JsonObject;
}

/** What zod says of every integer. */
function isNoBound(key: string, value: unknown): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** What a schema means without it too. */
function isNoRule(key: string, value: unknown): boolean {
  return (
    (key === 'additionalProperties' || key === 'items') && isRecord(value) && Object.keys(value).length === 0
  );
}
