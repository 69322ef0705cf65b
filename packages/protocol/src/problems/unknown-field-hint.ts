import type { z } from 'zod';
import { isRecord } from '../json/json.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { nearestName } from '../text/nearest-name.ts';

/** Unknown names that are told the nearest one; the hint has at most so many characters. */
const MAX_NAMES = 5;
const MAX_HINT_LENGTH = 300;

/**
 * For an issue about fields that nobody knows: the names that were most likely meant, or else those that are known there; empty for any other
 * issue. Of several shapes those count whose constants, such as a `kind`, are as in what was `sent`. Names that are only taken for the sake of other programs (`deprecated`) are not proposed.
 */
export function unknownFieldHint(issue: z.core.$ZodIssue, schema: z.ZodType, sent: unknown): string {
  if (issue.code !== 'unrecognized_keys') return '';
  const fields = new Set(fieldsAt(toJsonSchema(schema), issue.path, sent));
  const known = [...fields].filter((name) => !issue.keys.includes(name));
  if (known.length === 0) return '. It takes none';
  const nearest = issue.keys.slice(0, MAX_NAMES).flatMap((key) => nearestName(key, known) ?? []);
  const hint =
    nearest.length > 0
      ? `. Did you mean ${[...new Set(nearest)].map((name) => `"${name}"`).join(', ')}?`
      : `. It takes ${known.join(', ')}`;
  return hint.slice(0, MAX_HINT_LENGTH);
}

function fieldsAt(schema: unknown, path: readonly PropertyKey[], sent: unknown): string[] {
  let nodes = alternativesOf(schema);
  let value = sent;
  for (const step of path) {
    nodes = nodes.flatMap((node) => alternativesOf(childOf(node, step)));
    value = (value as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  const shapes = nodes.flatMap(({ properties }) => (isRecord(properties) ? [properties] : []));
  const fitting = shapes.filter((shape) => hasConstantsOf(shape, value));
  return (fitting.length > 0 ? fitting : shapes).flatMap((shape) =>
    Object.entries(shape)
      .filter(([, field]) => !(isRecord(field) && field['deprecated'] === true))
      .map(([name]) => name),
  );
}

/** False where what was sent has another value in a field of the shape than those that it may have. */
function hasConstantsOf(shape: SchemaNode, value: unknown): boolean {
  return Object.entries(shape).every(([name, field]) => {
    const constants = isRecord(field) ? (field['enum'] ?? [field['const']].filter(Boolean)) : [];
    if (!Array.isArray(constants) || constants.length === 0 || !isRecord(value)) return true;
    return !Object.hasOwn(value, name) || constants.includes(value[name]);
  });
}

type SchemaNode = Readonly<Record<string, unknown>>;

function childOf({ properties, items, additionalProperties }: SchemaNode, step: PropertyKey): unknown {
  if (typeof step === 'number') return items;
  return isRecord(properties) && Object.hasOwn(properties, step)
    ? properties[String(step)]
    : additionalProperties;
}

/** The node itself and what it may be instead. */
function alternativesOf(schema: unknown): SchemaNode[] {
  if (!isRecord(schema)) return [];
  const others = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? []) as unknown[];
  return [schema, ...others.flatMap(alternativesOf)];
}
