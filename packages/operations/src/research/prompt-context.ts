import type { ReadLimits } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import {
  formatTaskRef,
  parseTaskRefs,
  type Project,
  requireConnectedFile,
  requireProject,
  requireRoom,
  requireSubtask,
  requireTag,
  requireTask,
  resolveTag,
  type SeenItems,
  seenItem,
  type Tag,
  taskDoneError,
  type TaskRef,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import type { JournaledProject } from '../project-context/context-sections.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { briefTaskExcerpt, detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';

/** What research reads of a project; it is journaled, so each part is bounded, and all of them together. */
export interface ResearchContext extends JournaledProject {
  readonly tag: string;
  readonly tasks: readonly object[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly plan: readonly object[];
}

export const MAX_CONTEXT_TASKS = 50;
export const MAX_CONTEXT_FILES = 20;
const TASKS_LENGTH = 60_000;
const FILES_LENGTH = 60_000;
const PLAN_TASKS = 100;
const MOST_RELATED = 10;

interface ResearchScope {
  readonly query: string;
  readonly projectRoot: string;
  readonly tag: string | undefined;
  readonly taskIds: readonly TaskRef[];
  readonly filePaths: readonly string[];
  readonly saveTo: TaskRef | undefined;
}

/**
 * The tasks and files that were named, and the latest tasks by title. A project that is not there is refused only where
 * something of it was named.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `file_not_found`, and
 * `project_task_done` and `limit_size` for a task to save to.
 */
export function readResearchContext(
  project: Project | undefined,
  { projectRoot, tag: wanted, taskIds, filePaths, saveTo, query }: ResearchScope,
  limits: ReadLimits,
): ResearchContext {
  const named = wanted !== undefined || taskIds.length > 0 || filePaths.length > 0 || saveTo !== undefined;
  const existing = named ? requireProject(project, projectRoot) : project;
  const tag = resolveTag(existing, wanted);
  if (existing === undefined) return { tag, tasks: [], files: [], plan: [] };
  const from = requireTag(existing, tag);
  let seen: SeenItems | undefined;
  if (saveTo !== undefined) {
    const id = formatTaskRef(saveTo);
    const item = findItem(from, tag, saveTo);
    if (item.status === 'done') throw taskDoneError(tag, id);
    seen = seenItem(id, item);
    requireRoom(existing, { command: 'append_info', id, text: '-', tag });
  }
  const tasks = taskIds.map((ref) => itemExcerpt(from, tag, ref));
  const about = taskIds.map(({ task }) => task);
  const dependencies = from.tasks.filter(({ id }) => about.includes(id)).flatMap((task) => task.dependencies);
  const wish = { tag, about, dependencies, query, related: MOST_RELATED, plan: PLAN_TASKS };
  const texts = filePaths.map((name) => ({
    name,
    text: requireConnectedFile(existing, name, 'customContext takes the text itself').text,
  }));
  return {
    tag,
    seen,
    tasks: cutToFit(tasks),
    files: texts.map(({ name, text }) => ({
      name,
      text: excerpt(text, Math.floor(FILES_LENGTH / texts.length)) ?? '',
    })),
    ...readProjectContext(existing, wish, limits),
  };
}

function findItem(tag: Tag, name: string, ref: TaskRef) {
  const task = requireTask(tag, name, ref);
  return ref.subtask === undefined ? task : requireSubtask(task, name, ref);
}

function itemExcerpt(tag: Tag, name: string, ref: TaskRef): object {
  const task = requireTask(tag, name, ref);
  if (ref.subtask === undefined) return detailedTaskExcerpt(task);
  const { title, status, description, details } = requireSubtask(task, name, ref);
  return {
    id: formatTaskRef(ref),
    title: excerpt(title, 300) ?? '',
    status,
    description: excerpt(description, 2_000) ?? '',
    details: excerpt(details, 8_000) ?? '',
    parentTask: briefTaskExcerpt(task),
  };
}

/** Many tasks are shown without their details, and then without more than their titles. */
function cutToFit(tasks: readonly object[]): readonly object[] {
  const length = (list: readonly object[]) => JSON.stringify(list).length;
  if (length(tasks) <= TASKS_LENGTH) return tasks;
  const fields = (names: readonly string[]) =>
    tasks.map((task) => Object.fromEntries(Object.entries(task).filter(([name]) => names.includes(name))));
  const short = fields(['id', 'title', 'status', 'description']);
  return length(short) <= TASKS_LENGTH ? short : fields(['id', 'title', 'status']);
}

/** @throws BatonError `invalid_arguments`, naming the argument. */
export function parseTaskIds(ids: string | undefined): TaskRef[] {
  if (ids === undefined || ids.trim() === '') return [];
  const refs = new Map(parseTaskRefs(ids, 'taskIds').map((ref) => [formatTaskRef(ref), ref]));
  if (refs.size > MAX_CONTEXT_TASKS) throw tooMany('taskIds', refs.size, MAX_CONTEXT_TASKS);
  return [...refs.values()];
}

/** Names of files, separated by commas. @throws BatonError `invalid_arguments`. */
export function parseFilePaths(names: string | undefined): string[] {
  const parts = (names ?? '').split(',').map((part) => part.trim());
  const files = [...new Set(parts.filter((part) => part !== ''))];
  if (files.length > MAX_CONTEXT_FILES) throw tooMany('filePaths', files.length, MAX_CONTEXT_FILES);
  return files;
}

function tooMany(field: string, count: number, most: number): BatonError {
  return new BatonError('invalid_arguments', `${field}: ${count} are named; ${most} are allowed.`, { field });
}
