import { BatonError } from '@baton/protocol';
import type { CommandResult } from '../model/command-result.ts';
import { listConnectedFiles, requireConnectedFile, requireProject } from '../model/require-existing.ts';
import type { Project } from '../model/project.ts';
import { METADATA_LIMITS } from '../model/project-metadata.ts';

/** Stores texts by name, replacing earlier ones; then removes those in `remove`. */
interface ConnectFiles {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly remove: readonly string[];
}

/** @throws BatonError `limit_size`, `file_not_found` for one to remove that is not there. */
export function connectFiles(
  project: Project | undefined,
  command: ConnectFiles,
  now: string,
): CommandResult {
  const existing = requireProject(project);
  const files = new Map(existing.files);
  for (const { name, text } of command.files) {
    if (files.get(name)?.text !== text) files.set(name, { text, updated: now });
  }
  for (const name of command.remove) {
    requireConnectedFile({ ...existing, files }, name);
    files.delete(name);
  }
  const length = [...files.values()].reduce((sum, file) => sum + file.text.length, 0);
  if (files.size > METADATA_LIMITS.files) throw tooMuch('files', files.size, METADATA_LIMITS.files);
  if (length > METADATA_LIMITS.filesLength)
    throw tooMuch('characters of files', length, METADATA_LIMITS.filesLength);
  return { project: { ...existing, files }, outcome: { files: listConnectedFiles({ ...existing, files }) } };
}

export function setRules(
  project: Project | undefined,
  command: { readonly rules: readonly string[]; readonly append?: boolean | undefined },
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
