import type { z } from 'zod';
import { unknownFieldHint } from './unknown-field-hint.ts';

/** A field by its path, and what is wrong with it. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** Problems that are told of one value; what was sent may be quoted, so each is cut. */
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

/**
 * What is wrong with a value that `schema` refused, each with its field by its path, the value where that is short and one of those that may be
 * given was meant, and for a field that nobody knows the nearest name, or those that there are.
 */
export function problemsIn(error: z.ZodError, schema: z.ZodType, sent: unknown): FieldProblem[] {
  return error.issues.slice(0, MAX_PROBLEMS).map((issue) => ({
    field: fieldOf(issue),
    problem:
      issue.message.slice(0, MAX_PROBLEM_LENGTH) +
      givenValue(issue, sent) +
      textHint(issue) +
      unknownFieldHint(issue, schema, sent),
  }));
}

const MAX_SHOWN_VALUE = 60;
const SECRET_FIELD = /key|secret|token|password/i;

const TOLD_OF: readonly string[] = [
  'invalid_value',
  'invalid_type',
  'invalid_format',
  'too_big',
  'too_small',
  'custom',
];

/** The short text that is not one of those that may be given, or not of the form, and the number that is out of its range; a secret is never repeated. */
function givenValue({ code, path }: z.core.$ZodIssue, sent: unknown): string {
  if (!TOLD_OF.includes(code)) return '';
  const value = path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined,
    sent,
  );
  if (typeof value === 'number' && code !== 'invalid_type') return ` (given: ${value})`;
  if (typeof value !== 'string' || value === '' || value.length > MAX_SHOWN_VALUE) return '';
  if (path.some((step) => SECRET_FIELD.test(String(step)))) return '';
  return ` (given: ${JSON.stringify(value)})`;
}

/** A number is not read as a text where it may have lost a digit: 1.10 is 1.1. */
function textHint(issue: z.core.$ZodIssue): string {
  return issue.message.endsWith('expected string, received number') ? '; write it as text, in quotes' : '';
}

function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.');
  if (issue.code !== 'unrecognized_keys') return path;
  return [path, issue.keys[0]?.slice(0, MAX_PROBLEM_LENGTH)].filter(Boolean).join('.');
}
