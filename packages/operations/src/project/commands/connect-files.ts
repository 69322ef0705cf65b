import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import type { CommandResult } from '../model/command-result.ts';
import { listConnectedFiles, requireConnectedFile, requireProject } from '../model/require-existing.ts';
import type { Project } from '../model/project.ts';
import { METADATA_LIMITS, fileNameSchema } from '../model/project-metadata.ts';

/** Stores texts by name, replacing earlier ones; then removes those in `remove`. */
export const connectFilesCommandSchema = z.strictObject({
  command: z.literal('connect_files'),
  files: z.array(z.strictObject({ name: fileNameSchema, text: z.string().max(METADATA_LIMITS.fileLength) })),
  remove: z.array(fileNameSchema),
});

/** @throws BatonError `limit_size`, `file_not_found` for one to remove that is not there. */
export function connectFiles(
  project: Project | undefined,
  command: z.infer<typeof connectFilesCommandSchema>,
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

function tooMuch(what: string, there: number, limit: number): BatonError {
  return new BatonError('limit_size', `That would be ${there} ${what}; ${limit} are allowed.`, { limit });
}
