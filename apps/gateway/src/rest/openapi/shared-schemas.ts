import { z } from 'zod';
import { SCHEMA_EXAMPLES } from './schema-examples.ts';

/** A JSON response as a route describes it. */
export function jsonResponse<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

export const isoTimeSchema = z.string().describe('ISO 8601');

/** A request without fields; `{}` and nothing at all are the same. */
export const emptyBodySchema = z.strictObject({});

/** A schema that the document has once, under this name with its example, and refers to elsewhere. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  const example = SCHEMA_EXAMPLES[name];
  return schema.meta({ ...schema.meta(), id: name, ...(example && { examples: [example] }) });
}
