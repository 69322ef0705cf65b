import secureJson from 'secure-json-parse';
import { z } from 'zod';
import { isRecord, MAX_JSON_DEPTH } from './json.ts';
import { findInexactNumber, type JsonTextBounds, measureJsonText } from './json-text-scan.ts';

/**
 * The one parser of JSON text that arrives from outside: bodies, and JSON inside the strings of a body, of an answer, of
 * an LLM's reply. Whatever it returns nests at most MAX_JSON_DEPTH levels, any JSON parser can read it again at its
 * defaults, and its integers are those of the text. How long a text may be is bounded by what it came in. tests/structure lists who may use another parser.
 */
export function parseJson(text: string, bounds = JSON_TEXT_BOUNDS): unknown {
  return parseAndCountJson(text, bounds).value;
}

/** parseJson, and how many values the text holds. */
export function parseAndCountJson(text: string, bounds: JsonTextBounds): { value: unknown; values: number } {
  const values = requireJsonBounds(text, bounds);
  const value = parseSecurely(text);
  const inexact = findInexactNumber(text);
  if (inexact !== undefined) throw inexactNumberError(text, inexact);
  return { value, values };
}

function parseSecurely(text: string): unknown {
  try {
    return secureJson.parse(text, null, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new JsonTextError('malformed', error instanceof Error ? error.message : 'unreadable');
  }
}

/**
 * The bound that the text is over; `number`: it holds a number that would be rounded; `malformed`: it is no JSON, or JSON
 * that sets a prototype.
 */
export type JsonFault = 'malformed' | 'number' | keyof JsonTextBounds;

/** A JSON text that is not taken. Its message goes on after "the text" or "the body". */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  readonly fault: JsonFault;
  /** Where in the value the fault is, such as `data.ids.0`; empty for the whole. */
  readonly path: string;

  constructor(fault: JsonFault, message: string, path = '') {
    super(message);
    this.fault = fault;
    this.path = path;
  }
}

function inexactNumberError(text: string, { start, end }: { start: number; end: number }): JsonTextError {
  const digits = text.slice(start, end);
  // What stands at the number's place is where it is in the value.
  const mark = `number at ${start}`;
  const marked = parseSecurely(`${text.slice(0, start)}${JSON.stringify(mark)}${text.slice(end)}`);
  const path = pathTo(mark, marked)?.join('.') ?? '';
  const place = path === '' ? '' : ` at '${path.slice(0, 200).toWellFormed()}'`;
  return new JsonTextError(
    'number',
    `holds the number ${digits.slice(0, 40)}${place}, which would be read as ${Number(digits)}; send it as a string`,
    path,
  );
}

function pathTo(mark: string, value: unknown): string[] | undefined {
  if (value === mark) return [];
  if (!Array.isArray(value) && !isRecord(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = pathTo(mark, inner);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** How many values a text holds. Errors: JsonTextError for a text over one of its bounds. Parses nothing. */
export function requireJsonBounds(text: string, bounds = JSON_TEXT_BOUNDS): number {
  const measured = measureJsonText(bounds, text);
  if (typeof measured === 'number') return measured;
  throw new JsonTextError(measured, OVER_BOUND[measured](bounds));
}

/** Whoever parses text holds up everyone of its process meanwhile: some milliseconds at these bounds. */
export const JSON_TEXT_BOUNDS: JsonTextBounds = { depth: MAX_JSON_DEPTH, fields: 20_000, values: 25_000 };
/** For what holds many records at once: an imported project, and the lists that Baton itself replies with. */
export const LARGE_JSON_TEXT_BOUNDS: JsonTextBounds = { ...JSON_TEXT_BOUNDS, values: 100_000 };

const OVER_BOUND: Readonly<Record<keyof JsonTextBounds, (bounds: JsonTextBounds) => string>> = {
  depth: ({ depth }) => `nests deeper than ${depth} levels`,
  fields: ({ fields }) => `holds more than ${fields} fields in its large objects`,
  values: ({ values }) => `holds more than ${values} values`,
};

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
