import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { type CommandResult, toOutcome } from './command-result.ts';
import { requireProject } from '../model/lookup.ts';
import { DEFAULT_TAG, newProject, newTag, type Project, withTag } from '../model/project.ts';
import { projectMetadataSchema, METADATA_LIMITS } from '../model/project-metadata.ts';

const rules = z
  .array(z.string().trim().min(1, 'must not be empty').max(METADATA_LIMITS.ruleLength))
  .max(METADATA_LIMITS.rules);

/** Creates a project, or updates its metadata; fields that are not given stay. */
export const initializeCommand = z.strictObject({
  command: z.literal('initialize'),
  about: projectMetadataSchema.omit({ created: true }),
  rules: rules.optional(),
});

export const setRulesCommand = z.strictObject({
  command: z.literal('set_rules'),
  rules,
  append: z.boolean().optional(),
});

export function initializeProject(
  project: Project | undefined,
  command: z.infer<typeof initializeCommand>,
  now: string,
): CommandResult {
  const existing = project ?? withTag(newProject(DEFAULT_TAG), DEFAULT_TAG, newTag(DEFAULT_TAG, now));
  const given = Object.entries(command.about).filter(([, value]) => value !== undefined);
  const next = {
    ...existing,
    about: { created: now, ...existing.about, ...Object.fromEntries(given) },
    rules: command.rules ?? existing.rules,
  };
  const outcome = { about: next.about, rules: next.rules, created: project === undefined };
  return { project: next, outcome: toOutcome(outcome) };
}

export function setRules(
  project: Project | undefined,
  command: z.infer<typeof setRulesCommand>,
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
