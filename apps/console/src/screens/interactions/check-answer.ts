import { Validator } from '@cfworker/json-schema';
import { parseTypedJson } from '../../components/parse-typed-json.ts';
import { simpleSchemaOf } from './simple-schema.ts';

const MOST_WARNINGS = 5;
/** A longer text is not checked as it is typed. */
const MOST_CHARACTERS = 100_000;

/**
 * Why an answer may not fit, as it is typed. Each answer that does not fit is an attempt of its task, so the page warns; it never refuses:
 * the server takes more than fits to the letter, and has the last word.
 */
export type WarnOfAnswer = (text: string) => readonly string[];

/** The warnings for answers to a request with this schema: none without a schema, or with one that cannot be used. */
export function warningsFor(schema: unknown): WarnOfAnswer {
  if (schema === undefined) return () => [];
  const validator = new Validator(simpleSchemaOf(schema), '2020-12', false);
  return (text) => {
    if (text.trim() === '' || text.length > MOST_CHARACTERS) return [];
    const { value, problem } = parseTypedJson(text);
    if (problem !== undefined) return [problem];
    try {
      // The first of the errors is of the whole; those after it name the place.
      return validator
        .validate(value)
        .errors.map(
          ({ instanceLocation, error }) => `${instanceLocation.replace('#', '') || 'the whole'}: ${error}`,
        )
        .slice(-MOST_WARNINGS);
    } catch {
      return [];
    }
  };
}
