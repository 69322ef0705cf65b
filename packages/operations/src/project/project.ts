import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import type { About, ConnectedFile } from './about.ts';
import type { ComplexityReport } from './report.ts';
import { STATUSES } from './status.ts';
import { formatTaskRef, type TaskRef } from './task-id.ts';
import type { Subtask, Task } from './task.ts';

/**
 * A tenant's task list. Immutable: a change makes new objects along its way and shares the rest, so that what
 * changed is found by identity. Tags are a Map, since their names are free: as an object's keys `7` would move to
 * the front and `__proto__` would be lost.
 */
export interface Project {
  readonly currentTag: string;
  readonly tags: ReadonlyMap<string, Tag>;
  readonly about: About;
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
export const tagName = z
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

/** @throws BatonError `tag_not_found`, naming the tags that there are. */
export function requireTag(project: Project, name: string): Tag {
  const tag = project.tags.get(name);
  if (tag !== undefined) return tag;
  const known = [...project.tags.keys()].slice(0, 20).join(', ');
  throw new BatonError('tag_not_found', `The project has no tag '${name}'. Its tags: ${known}.`, {
    tag: name,
  });
}

/** @throws BatonError `project_task_not_found`, naming the id and the tag. */
export function requireTask(tag: Pick<Tag, 'tasks'>, tagName: string, ref: TaskRef): Task {
  const found = tag.tasks.find(({ id }) => id === ref.task);
  if (found === undefined) throw taskNotFound(tagName, ref);
  return found;
}

/** @throws BatonError `project_task_not_found`, naming the id and the tag. */
export function requireSubtask(task: Task, tagName: string, ref: TaskRef): Subtask {
  const found = task.subtasks.find(({ id }) => id === ref.subtask);
  if (found === undefined) throw taskNotFound(tagName, ref);
  return found;
}

function taskNotFound(tag: string, ref: TaskRef): BatonError {
  const id = formatTaskRef(ref);
  const what = ref.subtask === undefined ? 'task' : 'subtask';
  return new BatonError('project_task_not_found', `Tag '${tag}' has no ${what} ${id}.`, { id, tag });
}

/** @throws BatonError `project_not_found`. */
export function requireProject(project: Project | undefined, projectRoot?: string): Project {
  if (project !== undefined) return project;
  const named = projectRoot === undefined ? 'The project' : `Project '${projectRoot}'`;
  const details = projectRoot === undefined ? {} : { projectRoot };
  throw new BatonError(
    'project_not_found',
    `${named} does not exist yet: initialize_project, parse_prd or add_task starts one.`,
    details,
  );
}

/** @throws BatonError `tag_not_empty`, naming the count and both ways out. */
export function tagNotEmpty(tag: string, count: number): BatonError {
  return new BatonError(
    'tag_not_empty',
    `Tag '${tag}' already has ${count} ${count === 1 ? 'task' : 'tasks'}. ` +
      'Set append to add to them, force to replace them, or name another tag.',
    { tag, count },
  );
}

/** The next free id of a tag: ids are given on from the highest, never filled into gaps. */
export function nextId(tasks: readonly Task[]): number {
  return tasks.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;
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
