import { BatonError, isRecord, type JsonObject } from '@baton/protocol';
import type { CallerSchemaValidator } from '@baton/runner';

const FIELD = 'delegatedCallDetails.requestParameters.schema';
const SCHEMA_LIMITS = { bytes: 65_536, depth: 32, nodes: 5_000 };

/**
 * A schema that a caller brings is bounded before anything compiles it, compiled in a thread that can be ended, and
 * refused here if it is of no use, rather than when an answer has been paid for. Errors: `invalid_arguments`, `limit_checks`.
 */
export async function validateClientJsonSchema(
  check: CallerSchemaValidator,
  tenant: string,
  schema: JsonObject,
): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_LIMITS.bytes) throw schemaTooLarge('bytes', bytes, SCHEMA_LIMITS.bytes);
  let nodes = 0;
  const walk = (value: unknown, depth: number): void => {
    nodes++;
    if (nodes > SCHEMA_LIMITS.nodes) throw schemaTooLarge('values', nodes, SCHEMA_LIMITS.nodes);
    if (depth > SCHEMA_LIMITS.depth) throw schemaTooLarge('levels', depth, SCHEMA_LIMITS.depth);
    if (isRecord(value) && typeof value['$ref'] === 'string' && !value['$ref'].startsWith('#')) {
      throw new BatonError(
        'invalid_arguments',
        `${FIELD}: the $ref '${value['$ref'].slice(0, 200)}' is not within the schema; remote ones are never fetched`,
        { field: FIELD },
      );
    }
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) walk(inner, depth + 1);
  };
  walk(schema, 1);
  await check.requireUsableSchema(tenant, schema, FIELD);
}

function schemaTooLarge(unit: string, found: number, most: number): BatonError {
  return new BatonError('invalid_arguments', `${FIELD}: more than ${most} ${unit} (${found}) are not taken`, {
    field: FIELD,
  });
}
