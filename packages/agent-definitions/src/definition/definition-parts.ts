import {
  exceedsDepth,
  exceedsValueCount,
  isRecord,
  type JsonObject,
  textSchema,
  truncate,
} from '@baton/protocol';
import { z } from 'zod';

/** Bounds of a JSON Schema in a definition; that it can be compiled, and in time, is checked where there are threads for it. */
const MAX_SCHEMA_LENGTH = 4_096;
const MAX_SCHEMA_DEPTH = 16;
const MAX_SCHEMA_VALUES = 500;

/** A JSON Schema of an object, as a tool's parameters or a parsed answer have it. */
export const objectSchemaSchema = z
  .custom<JsonObject>(isRecord, 'must be a JSON Schema of an object')
  .superRefine((schema, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (exceedsValueCount(MAX_SCHEMA_VALUES, schema))
      return refuse(`must hold at most ${MAX_SCHEMA_VALUES} values`);
    if (exceedsDepth(MAX_SCHEMA_DEPTH, schema)) return refuse(`must nest at most ${MAX_SCHEMA_DEPTH} levels`);
    if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
      return refuse(`must have at most ${MAX_SCHEMA_LENGTH} characters as JSON`);
    if (schema['type'] !== 'object') return refuse('must have "type": "object"');
    const lacking = requiredWithoutPlace(schema);
    if (lacking !== undefined)
      refuse(`requires '${lacking}', which is none of its properties, and allows no others: nothing fits it`);
  });

/** A field that is required where `additionalProperties` refuses it. Beside `$ref` older drafts read nothing. */
function requiredWithoutPlace(schema: JsonObject): string | undefined {
  const { required, properties = {}, patternProperties, additionalProperties, $ref } = schema;
  if (additionalProperties !== false || patternProperties !== undefined || $ref !== undefined)
    return undefined;
  if (!Array.isArray(required) || !isRecord(properties)) return undefined;
  const lacking = required.find(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(properties, name),
  );
  return lacking === undefined ? undefined : truncate(lacking, 100);
}

/** The model that is asked for, as its provider names it. */
export const modelSchema = textSchema(200);

/** How often one call may go on before it fails with its report. */
export const budgetsSchema = z.strictObject({
  maxExceptionRetries: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('Answers that could not be parsed, asked for again'),
  maxInterruptSteps: z.int().min(0).max(20).optional().describe('Answers that call functions'),
  maxRecalls: z.int().min(0).max(10).optional().describe('Failures of the model that are worth repeating'),
});

/** Model parameters that agents and prompts share. */
export const modelParameters = {
  model: modelSchema.optional().describe("The model; without one the role's"),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.int().min(1).max(10_000_000).optional(),
  budgets: budgetsSchema.optional(),
};
