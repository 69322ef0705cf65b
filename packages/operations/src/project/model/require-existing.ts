import { BatonError } from '@baton/protocol';
import { type Project, resolveTag, type Tag } from './project.ts';
import type { ConnectedFile } from './project-metadata.ts';
import { isSeenItem, type SeenItems } from './item-uid.ts';
import { taskRemovedError } from './project-errors.ts';
import { formatTaskRef, type TaskRef } from './task-id.ts';
import { findTask, findTaskOrSubtask, type Subtask, type Task } from './task.ts';

/** @throws BatonError `tag_not_found`, naming the tags that there are. */
export function requireTag(project: Project, name: string): Tag {
  const tag = project.tags.get(name);
  if (tag !== undefined) return tag;
  const known = [...project.tags.keys()].slice(0, 20).join(', ');
  throw new BatonError('tag_not_found', `The project has no tag '${name}'. Its tags: ${known}.`, {
    tag: name,
  });
}

/**
 * The tag that a call means, by its name or as the current one, and its tasks.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function openTag(
  project: Project | undefined,
  projectRoot: string,
  wanted: string | undefined,
): { readonly existing: Project; readonly tag: string; readonly tasks: readonly Task[] } {
  const existing = requireProject(project, projectRoot);
  const tag = resolveTag(existing, wanted);
  return { existing, tag, tasks: requireTag(existing, tag).tasks };
}

/** @throws BatonError `project_task_not_found`, naming the id and the tag. */
export function requireTask(tag: Pick<Tag, 'tasks'>, tagName: string, ref: TaskRef): Task {
  const found = findTask(tag.tasks, ref.task);
  if (found === undefined) throw taskNotFoundError(tagName, ref);
  return found;
}

/** @throws BatonError `project_task_not_found`, naming the id and the tag. */
export function requireSubtask(task: Task, tagName: string, ref: TaskRef): Subtask {
  const found = task.subtasks.find(({ id }) => id === ref.subtask);
  if (found === undefined) throw taskNotFoundError(tagName, ref);
  return found;
}

/** What there was of where a task was to be added, when the LLM was asked. */
export type MustExist = 'project' | 'tag';

export function existingTarget(project: Project | undefined, tag: string): MustExist | undefined {
  if (project === undefined) return undefined;
  return project.tags.has(tag) ? 'tag' : 'project';
}

/** @throws BatonError `project_not_found`, `tag_not_found` for what was there and is deleted by now. */
export function requireTarget(
  mustExist: MustExist | undefined,
  project: Project | undefined,
  tagName: string,
): void {
  if (mustExist === undefined) return;
  if (project === undefined)
    throw new BatonError(
      'project_not_found',
      'The project was deleted while the LLM was at work. Nothing was changed.',
    );
  if (mustExist === 'tag') requireTag(project, tagName);
}

/** @throws BatonError `project_task_not_found` where another task or subtask has the id than was seen. */
export function requireSeen(
  seen: SeenItems | undefined,
  tagName: string,
  id: string,
  item: Task | Subtask,
): void {
  if (!isSeenItem(seen, id, item)) throw taskRemovedError(tagName, id);
}

/** The task ("5") or subtask ("5.2") of a tag; undefined where there is none. */
export function itemAt(project: Project, tag: string, id: string): Task | Subtask | undefined {
  return findTaskOrSubtask(project.tags.get(tag)?.tasks ?? [], id);
}

function taskNotFoundError(tag: string, ref: TaskRef): BatonError {
  const id = formatTaskRef(ref);
  const what = ref.subtask === undefined ? 'task' : 'subtask';
  return new BatonError(
    'project_task_not_found',
    `Tag '${tag}' has no ${what} ${id}; get_tasks lists those that it has.`,
    { id, tag },
  );
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

/** The connected files by name, without their texts. */
export function listConnectedFiles({ files }: Project): { name: string; length: number; updated: string }[] {
  return [...files]
    .map(([name, { text, updated }]) => ({ name, length: text.length, updated }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * `otherwise` says what a caller that has the text can do in place of connecting it.
 *
 * @throws BatonError `file_not_found`, naming the files that there are.
 */
export function requireConnectedFile(project: Project, name: string, otherwise?: string): ConnectedFile {
  const file = project.files.get(name);
  if (file !== undefined) return file;
  const known = [...project.files.keys()].sort().slice(0, 20).join(', ') || 'none';
  throw new BatonError(
    'file_not_found',
    `The project has no file '${name}'. Its files: ${known}; connect_files adds some${otherwise === undefined ? '' : `, or ${otherwise}`}.`,
    { file: name },
  );
}
