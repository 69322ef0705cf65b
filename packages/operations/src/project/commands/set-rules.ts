import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { requireProject } from '../model/require-existing.ts';
import { METADATA_LIMITS, projectRulesSchema } from '../model/project-metadata.ts';
import type { Project } from '../model/project.ts';
import type { CommandResult } from '../model/command-result.ts';

export const setRulesCommandSchema = z.strictObject({
  command: z.literal('set_rules'),
  rules: projectRulesSchema,
  append: z.boolean().optional(),
});

export function setRules(
  project: Project | undefined,
  command: z.infer<typeof setRulesCommandSchema>,
): CommandResult {
  const existing = requireProject(project);
  const kept = command.append ? existing.rules.filter((rule) => !command.rules.includes(rule)) : [];
  const all = [...kept, ...new Set(command.rules)];
  if (all.length > METADATA_LIMITS.rules) throw tooMuch('rules', all.length, METADATA_LIMITS.rules);
  return { project: { ...existing, rules: all }, outcome: { rules: all } };
}

function tooMuch(what: string, there: number, limit: number): BatonError {
  return new BatonError('limit_size', `That would be ${there} ${what}; ${limit} are allowed.`, { limit });
}
