import { z } from 'zod';

/** A JSON response as a route describes it. */
export function json<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

export const time = z.string().describe('ISO 8601');

/** A request without fields; `{}` and nothing at all are the same. */
export const noBody = z.strictObject({});
