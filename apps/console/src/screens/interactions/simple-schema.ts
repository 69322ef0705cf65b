/** Keywords whose check takes time linear in the value, whatever the schema says. Their values are no schemas. */
const PLAIN = [
  'type',
  'enum',
  'const',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;

type Keywords = Readonly<Record<string, unknown>>;

/**
 * A schema without what a page cannot check as the server does, or in bounded time: patterns, formats, references, negations and
 * conditions. What fits the schema fits this one too; not the other way round.
 */
export function simpleSchemaOf(schema: unknown): Keywords {
  if (!isKeywords(schema)) return {};
  const { properties, patternProperties, additionalProperties, items, allOf, anyOf } = schema;
  // A schema with a reference may mean another one altogether, as it does up to draft 7.
  if ('$ref' in schema) return {};
  const plain = Object.fromEntries(
    PLAIN.filter((keyword) => keyword in schema).map((keyword) => [keyword, schema[keyword]]),
  );
  const simple = {
    ...plain,
    ...(isKeywords(properties) && { properties: mapValues(properties, simpleSchemaOf) }),
    ...(additionalProperties === false && patternProperties === undefined && { additionalProperties }),
    ...(isKeywords(items) && { items: simpleSchemaOf(items) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(simpleSchemaOf) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(simpleSchemaOf) }),
  };
  return schema['nullable'] === true ? { anyOf: [{ type: 'null' }, simple] } : simple;
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(record: Keywords, map: (value: unknown) => unknown): Keywords {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
