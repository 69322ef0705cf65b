import { BatonError } from '@baton/protocol';
import type { CommandResult } from '../model/command-result.ts';
import { newTag, type Project, withComplexityReport, withTag } from '../model/project.ts';
import { requireProject, requireTag } from '../model/require-existing.ts';

/** Makes a tag, empty or with the tasks of another. */
interface AddTag {
  readonly name: string;
  /** `true`: the current one. */
  readonly copyFrom?: true | string | undefined;
  readonly description?: string | undefined;
}

const MAX_TAGS = 1_000;

/** @throws BatonError `project_not_found`, `tag_not_found`, `tag_exists`, `limit_size`. */
export function addTag(project: Project | undefined, command: AddTag, now: string): CommandResult {
  const existing = requireProject(project);
  const { name, copyFrom } = command;
  refuseTaken(existing, name);
  if (existing.tags.size >= MAX_TAGS)
    throw new BatonError('limit_size', `The project has ${MAX_TAGS} tags; no more are allowed.`);
  const source = copyFrom === true ? existing.currentTag : copyFrom;
  const copied = source === undefined ? undefined : requireTag(existing, source);
  const fresh = newTag(name, now);
  const about = command.description ?? (copied ? `Copy of ${source}` : fresh.metadata.description);
  const tag = { ...fresh, ...(copied && { tasks: copied.tasks }) };
  let next = withTag(existing, name, { ...tag, metadata: { ...tag.metadata, description: about } });
  if (source !== undefined) next = withComplexityReport(next, name, existing.reports.get(source));
  return { project: next, outcome: { tag: name, copiedFrom: source ?? null, tasksCopied: tag.tasks.length } };
}

/** @throws BatonError `project_not_found`, `tag_not_found`, `tag_exists`. */
export function renameTag(
  project: Project | undefined,
  { oldName, newName }: { readonly oldName: string; readonly newName: string },
  now: string,
): CommandResult {
  const existing = requireProject(project);
  const tag = requireTag(existing, oldName);
  refuseTaken(existing, newName);
  const renamed = { ...tag, metadata: { ...tag.metadata, updated: now } };
  const tags = [...existing.tags].map(([name, other]): [string, typeof tag] =>
    name === oldName ? [newName, renamed] : [name, other],
  );
  const currentTag = existing.currentTag === oldName ? newName : existing.currentTag;
  const report = existing.reports.get(oldName);
  const next = withComplexityReport({ ...existing, currentTag, tags: new Map(tags) }, oldName, undefined);
  return {
    project: withComplexityReport(next, newName, report),
    outcome: { oldName, newName, currentTag, taskCount: tag.tasks.length },
  };
}

/** Deletes a tag with its tasks; never the last one. @throws BatonError `tag_not_found`, `invalid_arguments`. */
export function deleteTag(project: Project | undefined, { name }: { readonly name: string }): CommandResult {
  const existing = requireProject(project);
  const tag = requireTag(existing, name);
  const tags = new Map(existing.tags);
  tags.delete(name);
  const [first] = tags.keys();
  if (first === undefined) {
    throw new BatonError(
      'invalid_arguments',
      `name: '${name}' is the only tag of the project, which needs one. Make another first, with add_tag.`,
      { field: 'name' },
    );
  }
  const currentTag = existing.currentTag === name ? first : existing.currentTag;
  return {
    project: withComplexityReport({ ...existing, currentTag, tags }, name, undefined),
    outcome: { tag: name, currentTag, tasksDeleted: tag.tasks.length },
  };
}

/** Makes a tag the one that calls without `tag` mean. @throws BatonError `project_not_found`, `tag_not_found`. */
export function useTag(project: Project | undefined, { name }: { readonly name: string }): CommandResult {
  const existing = requireProject(project);
  const { tasks } = requireTag(existing, name);
  return {
    project: existing.currentTag === name ? existing : { ...existing, currentTag: name },
    outcome: { previousTag: existing.currentTag, currentTag: name, taskCount: tasks.length },
  };
}

function refuseTaken(project: Project, name: string): void {
  if (!project.tags.has(name)) return;
  throw new BatonError('tag_exists', `The project already has a tag '${name}'. Choose another name.`, {
    tag: name,
  });
}
