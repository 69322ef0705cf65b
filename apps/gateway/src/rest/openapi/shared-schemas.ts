import { z } from 'zod';

/** A JSON response as a route describes it. */
export function jsonResponseSchema<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

export const isoTimeSchema = z.string().describe('ISO 8601');

/** A request without fields; `{}` and nothing at all are the same. */
export const emptyBodySchema = z.strictObject({});
