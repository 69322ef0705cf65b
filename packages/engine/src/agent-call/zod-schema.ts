import { type AnswerSchema, truncate, type Validation } from '@baton/protocol';
import { z } from 'zod';

/** How much of what is wrong with an answer is told: enough to correct it, never as long as the answer itself. */
const MAX_ISSUES = 20;
const MAX_ISSUE_LENGTH = 400;

/** A zod schema as reading an answer needs it. */
export function toAnswerSchema<T>(schema: z.ZodType<T>): AnswerSchema<T> {
  return {
    check: (value) => validate(schema, value),
    hasField: (name) => schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name),
    takesText: !(schema instanceof z.ZodObject),
  };
}

function validate<T>(schema: z.ZodType<T>, value: unknown): Validation<T> {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problem: describeZodError(parsed.error) };
}

/** What zod found, each with the path of the field that it is about. */
export function describeZodError(error: z.ZodError): string {
  const lines = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = issue.path.map(String).join('.');
    return truncate(path === '' ? issue.message : `${path}: ${issue.message}`, MAX_ISSUE_LENGTH);
  });
  const more = error.issues.length - lines.length;
  return lines.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
