import { z } from 'zod';
import { BatonError } from './errors.ts';

/** What is wrong with a definition: the step's name where it is a workflow's step, and the field by its path in the definition. */
export interface DefinitionProblem {
  readonly step?: string;
  readonly field: string;
  readonly problem: string;
}

/** Words: not blank, at most `most` characters, no half characters. */
export const textSchema = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/\S/, 'must not be blank')
    .refine((text) => text.isWellFormed(), 'must not hold half characters');

/** Problems that one refusal tells, and characters of each. */
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

/** Errors: `invalid_arguments` naming the fields, where there is a problem. */
export function refuseProblems(problems: readonly DefinitionProblem[]): void {
  if (problems.length > 0) throw refusalOf(problems);
}

export function refusalOf(problems: readonly DefinitionProblem[]): BatonError {
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map((one) => ({ ...one, problem: one.problem.slice(0, MAX_PROBLEM_LENGTH) }));
  const lines = told.map(({ step, field, problem }) => {
    const where = step === undefined ? field : `step '${step}' (${field})`;
    return where === '' ? problem : `${where}: ${problem}`;
  });
  const more = problems.length > told.length ? `; and ${problems.length - told.length} more` : '';
  return new BatonError('invalid_arguments', lines.join('; ') + more, {
    field: told[0]?.field ?? '',
    issues: told,
  });
}
