import { z } from 'zod';
import type { ProjectMetadata, ConnectedFile } from './project-metadata.ts';
import type { ComplexityReport } from './complexity-report.ts';
import { noHigherIdError } from './project-errors.ts';
import { STATUSES } from './status-and-priority.ts';
import { MAX_ID } from './task-id.ts';
import { type Task, taskIdsOf } from './task.ts';

/**
 * A tenant's task list. Immutable: a change makes new objects along its way and shares the rest, so that what
 * changed is found by identity. Tags are a Map, since their names are free: as an object's keys `7` would move to
 * the front and `__proto__` would be lost.
 */
export interface Project {
  readonly currentTag: string;
  readonly tags: ReadonlyMap<string, Tag>;
  readonly about: ProjectMetadata;
  /** What all work on the project keeps to, a piece of Markdown each. */
  readonly rules: readonly string[];
  readonly files: ReadonlyMap<string, ConnectedFile>;
  /** What is known of the complexity of a tag's tasks, by tag. */
  readonly reports: ReadonlyMap<string, ComplexityReport>;
}

export interface Tag {
  readonly tasks: readonly Task[];
  readonly metadata: TagMetadata;
  /** Fields beside `tasks` and `metadata` that came in with a file; they go out as they came. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface TagMetadata {
  readonly created: string;
  readonly updated: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

export const DEFAULT_TAG = 'master';

/** Checked by `refine`, since a pattern with `\p` in a tool's schema breaks clients whose regular expressions lack it. */
export const tagNameSchema = z
  .string()
  .min(1)
  .max(64)
  .refine((name) => /^[\p{L}\p{N}._-]*$/u.test(name), 'must be 1 to 64 letters, digits or - _ .')
  .describe('A tag of the project (1 to 64 letters, digits or - _ .)');

/** A project without tasks, rules or files, whose one tag will be `tag`. */
export function newProject(tag: string): Project {
  return {
    currentTag: tag,
    tags: new Map(),
    about: {},
    rules: [],
    files: new Map(),
    reports: new Map(),
  };
}

export function newTag(name: string, now: string): Tag {
  return {
    tasks: [],
    metadata: { created: now, updated: now, description: `Tasks for ${name} context` },
    extra: {},
  };
}

/** The tag that a call without `tag` means. */
export function resolveTag(project: Project | undefined, tag: string | undefined): string {
  return tag ?? project?.currentTag ?? DEFAULT_TAG;
}

/**
 * The first of the next free ids of a tag: ids are given on from the highest, never filled into gaps.
 *
 * @throws BatonError `limit_size` where there are not `count` above it.
 */
export function nextTaskId(tasks: readonly Task[], count = 1): number {
  let highest = 0;
  for (const id of taskIdsOf(tasks)) highest = Math.max(highest, id);
  if (highest + count > MAX_ID) throw noHigherIdError(`task ${highest}`);
  return highest + 1;
}

/** The project with one tag put in; a tag that is new comes last. */
export function withTag(project: Project, name: string, tag: Tag): Project {
  return { ...project, tags: new Map(project.tags).set(name, tag) };
}

/** How many of each status, in the order of the one list. */
export function countByStatus(items: readonly { readonly status: string }[]): Map<string, number> {
  const counts = new Map<string, number>(STATUSES.map((status) => [status, 0]));
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** The project with the report of a tag replaced, or taken out. */
export function withComplexityReport(
  project: Project,
  tag: string,
  report: ComplexityReport | undefined,
): Project {
  if (project.reports.get(tag) === report) return project;
  const reports = new Map(project.reports);
  if (report === undefined) reports.delete(tag);
  else reports.set(tag, report);
  return { ...project, reports };
}

/** Says what a command made to put tasks into: a mistyped name makes a tag, or a project, of its own. */
export function createdFor(before: Project | undefined, tag: string): { created?: 'project' | 'tag' } {
  if (before === undefined) return { created: 'project' };
  return before.tags.has(tag) ? {} : { created: 'tag' };
}
