import secureJson from 'secure-json-parse';
import { z } from 'zod';
import { MAX_JSON_DEPTH } from './json.ts';
import { jsonTextDepth, textExceedsWideObjectFields } from './json-text-scan.ts';

/**
 * The one parser of JSON text that arrives from outside: bodies, and JSON inside the strings of a body, of an answer, of
 * an LLM's reply. Whatever it returns nests at most MAX_JSON_DEPTH levels, and any JSON parser can read it again at its
 * defaults. How long a text may be is bounded by what it came in. tests/structure lists who may use another parser.
 */
export function parseJson(text: string): unknown {
  requireJsonBounds(text);
  try {
    return secureJson.parse(text, null, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new JsonTextError('malformed', error instanceof Error ? error.message : 'unreadable');
  }
}

/** `depth` and `fields`: the text is over a bound. `malformed`: it is no JSON, or JSON that sets a prototype. */
export type JsonFault = 'malformed' | 'depth' | 'fields';

/** A JSON text that is not taken. Its message goes on after "the text" or "the body". */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  readonly fault: JsonFault;

  constructor(fault: JsonFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Errors: JsonTextError for a text that nests too deep or whose large objects have too many fields. Parses nothing. */
export function requireJsonBounds(text: string): void {
  if (jsonTextDepth(text, MAX_JSON_DEPTH) > MAX_JSON_DEPTH)
    throw new JsonTextError('depth', `nests deeper than ${MAX_JSON_DEPTH} levels`);
  // A shorter text cannot hold as many: most texts pay nothing for it.
  const mayBeWide = text.length > MAX_WIDE_FIELDS * SHORTEST_FIELD;
  if (mayBeWide && textExceedsWideObjectFields(MAX_WIDE_FIELDS, text, MAX_JSON_DEPTH))
    throw new JsonTextError('fields', `holds more than ${MAX_WIDE_FIELDS} fields in its large objects`);
}

/** Each costs some microseconds wherever it is parsed, copied, sorted or checked; more would hold up everyone. */
export const MAX_WIDE_FIELDS = 20_000;
/** `"":1,` */
const SHORTEST_FIELD = 5;

/**
 * A field that takes its value as JSON text too: models often write nested objects so. Text that is no JSON goes to the
 * schema as it is; text over a bound is refused and says which.
 */
export function orJsonText<T extends z.ZodType>(schema: T) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return parseJson(value);
    } catch (error) {
      if (!(error instanceof JsonTextError) || error.fault === 'malformed') return value;
      context.addIssue({ code: 'custom', message: `is a JSON text that ${error.message}` });
      return z.NEVER;
    }
  }, schema);
}
