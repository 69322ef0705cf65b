import { type Schema, Validator } from '@cfworker/json-schema';
import { parseTypedJson } from '../../components/parse-typed-json.ts';

/** What is wrong with an answer as it is typed; an empty list when it fits. The server has the last word. */
export type CheckAnswer = (text: string) => readonly string[];

const MOST_PROBLEMS = 5;

/** The check of a request's answer: any text that is not empty without a schema, JSON that fits it with one. */
export function answerCheck(schema: unknown): CheckAnswer {
  if (schema === undefined) return (text) => (text.trim() === '' ? ['An answer is wanted.'] : []);
  const validator = new Validator(schema as Schema, '2020-12', false);
  return (text) => {
    if (text.trim() === '') return ['JSON is wanted that fits the schema.'];
    const { value, problem } = parseTypedJson(text);
    if (problem !== undefined) return [problem];
    const { valid, errors } = validator.validate(value);
    if (valid) return [];
    // The first of the errors is of the whole; those after it name the place.
    return errors
      .map(({ instanceLocation, error }) => `${instanceLocation.replace('#', '') || 'the whole'}: ${error}`)
      .slice(-MOST_PROBLEMS);
  };
}
