import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { type Applied, asOutcome } from './applied.ts';
import { DEFAULT_TAG, newProject, newTag, type Project, requireProject, withTag } from './project.ts';

/** What is known of a project beside its tasks: what it is about, its rules, the texts connected with it. */

export const ABOUT_LIMITS = {
  nameLength: 200,
  textLength: 20_000,
  rules: 100,
  ruleLength: 4_000,
  files: 50,
  fileLength: 500_000,
  /** Of all files together: every read of the project moves them. */
  filesLength: 1_000_000,
} as const;

const text = z.string().max(ABOUT_LIMITS.textLength).optional();

export const about = z.object({
  name: z.string().min(1).max(ABOUT_LIMITS.nameLength).optional(),
  requirements: text,
  techStack: text,
  created: z.string().optional(),
});
export type About = Readonly<z.infer<typeof about>>;

export interface ConnectedFile {
  readonly text: string;
  /** ISO 8601: when this text was connected. */
  readonly updated: string;
}

const rules = z
  .array(z.string().trim().min(1, 'must not be empty').max(ABOUT_LIMITS.ruleLength))
  .max(ABOUT_LIMITS.rules);

export const fileName = z
  .string()
  .min(1)
  .max(300)
  .refine((name) => /^[^\p{Cc}\p{Cs}]*$/u.test(name), 'must not hold control or half characters');

/** Starts a project, or says more of one that is there; what is not given stays. */
export const initializeCommand = z.strictObject({
  command: z.literal('initialize'),
  about: about.omit({ created: true }),
  rules: rules.optional(),
});

export const setRulesCommand = z.strictObject({
  command: z.literal('set_rules'),
  rules,
  append: z.boolean().optional(),
});

/** Puts texts in by name, each in the place of an earlier one; then takes out the ones to remove. */
export const connectFilesCommand = z.strictObject({
  command: z.literal('connect_files'),
  files: z.array(z.strictObject({ name: fileName, text: z.string().max(ABOUT_LIMITS.fileLength) })),
  remove: z.array(fileName),
});

export function initialize(
  project: Project | undefined,
  command: z.infer<typeof initializeCommand>,
  now: string,
): Applied {
  const existing = project ?? withTag(newProject(DEFAULT_TAG), DEFAULT_TAG, newTag(DEFAULT_TAG, now));
  const given = Object.entries(command.about).filter(([, value]) => value !== undefined);
  const next = {
    ...existing,
    about: { created: now, ...existing.about, ...Object.fromEntries(given) },
    rules: command.rules ?? existing.rules,
  };
  const outcome = { about: next.about, rules: next.rules, created: project === undefined };
  return { project: next, outcome: asOutcome(outcome) };
}

export function setRules(project: Project | undefined, command: z.infer<typeof setRulesCommand>): Applied {
  const existing = requireProject(project);
  const kept = command.append ? existing.rules.filter((rule) => !command.rules.includes(rule)) : [];
  const all = [...kept, ...new Set(command.rules)];
  if (all.length > ABOUT_LIMITS.rules) throw tooMuch('rules', all.length, ABOUT_LIMITS.rules);
  return { project: { ...existing, rules: all }, outcome: { rules: all } };
}

/** @throws BatonError `limit_size`, `file_not_found` for one to remove that is not there. */
export function connectFiles(
  project: Project | undefined,
  command: z.infer<typeof connectFilesCommand>,
  now: string,
): Applied {
  const existing = requireProject(project);
  const files = new Map(existing.files);
  for (const { name, text } of command.files) {
    if (files.get(name)?.text !== text) files.set(name, { text, updated: now });
  }
  for (const name of command.remove) {
    requireFile({ ...existing, files }, name);
    files.delete(name);
  }
  const length = [...files.values()].reduce((sum, file) => sum + file.text.length, 0);
  if (files.size > ABOUT_LIMITS.files) throw tooMuch('files', files.size, ABOUT_LIMITS.files);
  if (length > ABOUT_LIMITS.filesLength)
    throw tooMuch('characters of files', length, ABOUT_LIMITS.filesLength);
  return { project: { ...existing, files }, outcome: { files: listFiles({ ...existing, files }) } };
}

/** The connected files, without their texts. */
export function listFiles({ files }: Project): { name: string; length: number; updated: string }[] {
  return [...files].map(([name, { text, updated }]) => ({ name, length: text.length, updated }));
}

/** @throws BatonError `file_not_found`, naming the files that there are. */
export function requireFile(project: Project, name: string): ConnectedFile {
  const file = project.files.get(name);
  if (file !== undefined) return file;
  const known = [...project.files.keys()].slice(0, 20).join(', ') || 'none';
  throw new BatonError(
    'file_not_found',
    `The project has no file '${name}'. Its files: ${known}; connect_files adds some.`,
    { file: name },
  );
}

function tooMuch(what: string, there: number, limit: number): BatonError {
  return new BatonError('limit_size', `That would be ${there} ${what}; ${limit} are allowed.`, { limit });
}
