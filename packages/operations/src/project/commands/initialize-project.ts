import { z } from 'zod';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';
import { DEFAULT_TAG, newProject, newTag, type Project, withTag } from '../model/project.ts';
import { projectMetadataSchema, projectRulesSchema } from '../model/project-metadata.ts';

/** Creates a project, or updates its metadata; fields that are not given stay. */
export const initializeCommandSchema = z.strictObject({
  command: z.literal('initialize'),
  about: projectMetadataSchema.omit({ created: true }),
  rules: projectRulesSchema.optional(),
});

export function initializeProject(
  project: Project | undefined,
  command: z.infer<typeof initializeCommandSchema>,
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
  return { project: next, outcome: asJsonOutcome(outcome) };
}
