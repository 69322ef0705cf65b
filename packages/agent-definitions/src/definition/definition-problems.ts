import { BatonError } from '@baton/protocol';
import type { z } from 'zod';

/** What is wrong with a definition, and the field that it is about by its path. */
export interface DefinitionProblem {
  readonly field: string;
  readonly problem: string;
}

/** Problems that one refusal tells, and characters of each. */
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

export function problemsOf(error: z.ZodError): DefinitionProblem[] {
  return error.issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    return {
      field: [...issue.path, ...unknown].map(String).join('.').slice(0, MAX_PROBLEM_LENGTH),
      problem: issue.message,
    };
  });
}

/** Errors: `invalid_arguments` naming the fields, where there is a problem. */
export function refuseProblems(problems: readonly DefinitionProblem[]): void {
  if (problems.length > 0) throw refusalOf(problems);
}

export function refusalOf(problems: readonly DefinitionProblem[]): BatonError {
  const told = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ field, problem }) => ({ field, problem: problem.slice(0, MAX_PROBLEM_LENGTH) }));
  const lines = told.map(({ field, problem }) => (field === '' ? problem : `${field}: ${problem}`));
  const more = problems.length > told.length ? `; and ${problems.length - told.length} more` : '';
  return new BatonError('invalid_arguments', lines.join('; ') + more, {
    field: told[0]?.field ?? '',
    issues: told,
  });
}
