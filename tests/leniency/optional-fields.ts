import type { AnyJson } from '../harness/mcp-client.ts';

/** An optional field of a tool's arguments, at any level. */
export interface OptionalField {
  /** As errors name it. */
  readonly path: string;
  readonly schema: AnyJson;
  /** Arguments in which it has this value, with what tells its alternative apart beside it. */
  readonly holding: (value: unknown) => AnyJson;
}

/** Every optional field in a schema of arguments, those in objects, elements and alternatives included. */
export function optionalFields(schema: AnyJson): OptionalField[] {
  return fieldsOf(schema, [], (value) => value);
}

function fieldsOf(
  schema: AnyJson,
  steps: readonly string[],
  around: (value: AnyJson) => AnyJson,
): OptionalField[] {
  const alternatives = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const own = alternatives.flatMap(({ properties, required = [] }: AnyJson) => {
    const fixed = Object.fromEntries(
      Object.entries<AnyJson>(properties ?? {}).flatMap(([name, { enum: values }]) =>
        required.includes(name) && values?.length === 1 ? [[name, values[0]]] : [],
      ),
    );
    return Object.entries<AnyJson>(properties ?? {}).flatMap(([name, field]) => {
      const holding = (value: unknown) => around({ ...fixed, [name]: value });
      const path = [...steps, name];
      return [
        ...(required.includes(name) ? [] : [{ path: path.join('.'), schema: field, holding }]),
        ...fieldsOf(field, path, holding),
      ];
    });
  });
  const elements = alternatives.flatMap(({ items }: AnyJson) =>
    items === undefined ? [] : fieldsOf(items, [...steps, '0'], (value) => around([value])),
  );
  return [...own, ...elements];
}

/** Whether null, or a text, is a value of its own. */
export function takes(type: 'null' | 'string', schema: AnyJson): boolean {
  const alternatives = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  // A list of types says first what a value is, and then how else it may be written.
  return alternatives.some(
    (one: AnyJson) => [one.type].flat()[0] === type && one.enum === undefined && one.format === undefined,
  );
}
