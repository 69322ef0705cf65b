import { z } from 'zod';
import type { JsonObject } from './json.ts';

/**
 * `schema` as JSON Schema (2020-12) for the one who writes the value: its input side. What JSON Schema has no word for (`z.custom`) is
 * anything there.
 */
export function toJsonSchema(schema: z.ZodType): JsonObject {
  let described = descriptions.get(schema);
  if (described === undefined) {
    described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
    descriptions.set(schema, described);
  }
  return described;
}
const descriptions = new WeakMap<z.ZodType, JsonObject>();
