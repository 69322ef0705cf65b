import type { Project, Tag, TagMetadata } from '../model/project.ts';
import { differingTasks, type Task, taskIdsOf } from '../model/task.ts';
import {
  ABOUT,
  FILE,
  indexBucket,
  indexBucketField,
  META,
  PARTS,
  REPORT,
  RULES,
  tagField,
  taskField,
  updatedField,
} from './field-names.ts';
import type { ChangedFields } from './changed-fields.ts';
import { countSubtasks, type ProjectParts } from './project-fields.ts';
import { indexEntryOf, type IndexEntry } from './task-index.ts';
import { isNewItem, textWithUids } from '../model/item-uid.ts';
import { refuseLongTask, refuseTooManySubtasks } from './field-limits.ts';
import { isUnread, storedLength } from './unread.ts';

/**
 * A project as the fields of one stored record, so that a commit writes what changed and not the whole:
 *
 *   meta              { currentTag, tags: [names, in order] }
 *   tag:<tag>         { metadata, extra, ids: [tasks, in order] }, less what changes with every commit:
 *   updated:<tag>     when the tag was last changed
 *   task:<id>:<tag>   the task with its subtasks, each with its uid
 *   report:<tag>      the complexity report of the tag
 *   about, rules      where there are any
 *   file:<name>       a connected file with its text
 *
 * and, made from these, so that most of them need not be read (see `ProjectFields`):
 *
 *   index:<n>:<tag>   what is short of the tasks with the ids from 64 n on
 *   parts             what there is beside the tasks, by name
 */

/** What must be known of the stored project beside the project itself. */
export interface StoredIndex {
  subtaskCount(tag: string): number;
}

/**
 * What to write, as JSON texts, to copy and to delete, so that stored fields of `before` become those of `after`. Yields after
 * every field: the caller decides how much to write down at once.
 * @throws BatonError `limit_size` for a task that grows beyond what one field may hold.
 */
export function* changedProjectFieldsInSteps(
  before: Project | undefined,
  after: Project,
  stamp: string,
  stored: StoredIndex = indexOf(before),
): Generator<undefined, ChangedFields> {
  const change = new Change(before, stamp);
  change.put(META, before && metaOf(before), metaOf(after));
  const subtasks = new Map<string, number>();
  for (const [name, tag] of after.tags) {
    const was = before?.tags.get(name);
    const counted = was === undefined ? 0 : stored.subtaskCount(name);
    const count = was === tag ? counted : counted + (yield* change.tag(name, was, tag));
    if (was !== tag) refuseTooManySubtasks(name, count, counted);
    subtasks.set(name, count);
  }
  for (const [name, tag] of before?.tags ?? []) if (!after.tags.has(name)) yield* change.goneTag(name, tag);
  yield* change.named(REPORT, before?.reports, after.reports);
  if (Object.keys(after.about).length > 0) change.put(ABOUT, before?.about, after.about);
  if (after.rules !== before?.rules) {
    if (after.rules.length > 0) change.put(RULES, before?.rules, after.rules);
    else if (before && before.rules.length > 0) change.delete.push(RULES);
  }
  yield* change.named(FILE, before?.files, after.files);
  const partsBefore = before && partsOf(before, (name) => stored.subtaskCount(name));
  change.put(
    PARTS,
    partsBefore,
    partsOf(after, (name) => subtasks.get(name) ?? 0),
  );
  return { set: change.set, copy: change.copy, delete: change.delete };
}

/** Collects what becomes of the fields. Values that kept their identity are stored as they are. */
class Change implements ChangedFields {
  readonly set: [field: string, value: string][] = [];
  readonly copy: [from: string, to: string][] = [];
  readonly delete: string[] = [];
  private readonly before: Project | undefined;
  /** By stored task, the name of its tag. */
  private origins: Map<Task, string> | undefined;

  /** Of the texts of tasks, as they are stored then. */
  private readonly lengths: Map<Task, number>;
  private readonly stamp: string;

  constructor(before: Project | undefined, stamp: string) {
    this.before = before;
    this.stamp = stamp;
    this.lengths = new Map();
  }

  /** Sets a field unless its JSON is the same. */
  put(field: string, was: unknown, value: unknown): void {
    if (was === value) return;
    const text = JSON.stringify(value);
    if (was === undefined || JSON.stringify(was) !== text) this.set.push([field, text]);
  }

  /** Returns by how many subtasks the tag has grown. */
  *tag(name: string, was: Tag | undefined, tag: Tag): Generator<undefined, number> {
    const { before, after } = differingTasks(was?.tasks ?? [], tag.tasks);
    const isSameList = was !== undefined && hasSameIds(before, after);
    if (!isSameList || was.extra !== tag.extra || !isSameMetadata(was.metadata, tag.metadata))
      this.put(tagField(name), isSameList ? recordOf(was) : undefined, recordOf(tag));
    this.put(updatedField(name), was?.metadata.updated, tag.metadata.updated);
    const gone = new Map(before.map((task) => [task.id, task]));
    const buckets = new Set<number>();
    let grown = 0;
    for (const task of after) {
      const old = gone.get(task.id);
      gone.delete(task.id);
      if (old === task) continue;
      grown += task.subtasks.length - (old?.subtasks.length ?? 0);
      if (!this.task(name, old, task)) continue;
      buckets.add(indexBucket(task.id));
      yield;
    }
    for (const [id, task] of gone) {
      this.delete.push(taskField(name, id));
      buckets.add(indexBucket(id));
      grown -= task.subtasks.length;
    }
    yield* this.index(name, tag.tasks, taskIdsOf(isSameList ? was.tasks : tag.tasks), buckets);
    return grown;
  }

  *goneTag(name: string, { tasks }: Tag): Generator<undefined, void> {
    this.delete.push(tagField(name), updatedField(name));
    for (const { id } of tasks) this.delete.push(taskField(name, id));
    this.delete.push(...new Set(tasks.map(({ id }) => indexBucketField(name, indexBucket(id)))));
    yield;
  }

  /** What is kept by name: reports by tag, files. */
  *named<T>(
    prefix: string,
    was: ReadonlyMap<string, T> | undefined,
    values: ReadonlyMap<string, T>,
  ): Generator<undefined, void> {
    for (const [name, value] of values) {
      this.put(prefix + name, was?.get(name), value);
      yield;
    }
    for (const name of was?.keys() ?? []) if (!values.has(name)) this.delete.push(prefix + name);
  }

  /** Returns false where the task is stored as it is. */
  private task(tag: string, old: Task | undefined, task: Task): boolean {
    const field = taskField(tag, task.id);
    const origin = this.originOf(task, tag);
    if (origin !== undefined) {
      this.copy.push([taskField(origin, task.id), field]);
      return true;
    }
    const text = JSON.stringify(task);
    // One that gives its number to another is not read for it.
    const before = old !== undefined && isUnread(old) && isNewItem(task) ? undefined : old;
    if (before !== undefined && JSON.stringify(before) === text) {
      this.lengths.set(task, storedLength(before));
      return false;
    }
    refuseLongTask(task.id, text.length, old);
    const stored = textWithUids(task, text, before, this.stamp);
    this.lengths.set(task, stored.length);
    this.set.push([field, stored]);
    return true;
  }

  /** The other tag under which the stored project has this very task. */
  private originOf(task: Task, tag: string): string | undefined {
    const tags = this.before?.tags;
    // Most projects have one tag, and most commands change tasks and copy none.
    if (tags === undefined || (tags.size === 1 && tags.has(tag))) return undefined;
    if (this.origins === undefined) {
      this.origins = new Map();
      for (const [name, { tasks }] of tags)
        if (!isUnread(tasks)) for (const stored of tasks) this.origins.set(stored, name);
    }
    return this.origins.get(task);
  }

  private *index(
    name: string,
    tasks: readonly Task[],
    ids: readonly number[],
    buckets: ReadonlySet<number>,
  ): Generator<undefined, void> {
    if (buckets.size === 0) return;
    const entries = new Map([...buckets].map((bucket) => [bucket, {} as Record<string, IndexEntry>]));
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      const entriesOfBucket = entries.get(indexBucket(id));
      const task = tasks[at];
      if (entriesOfBucket === undefined || task === undefined) continue;
      entriesOfBucket[id] = indexEntryOf(task, this.lengths.get(task));
      yield;
    }
    for (const [bucket, ofBucket] of entries) {
      const field = indexBucketField(name, bucket);
      if (Object.keys(ofBucket).length === 0) this.delete.push(field);
      else this.set.push([field, JSON.stringify(ofBucket)]);
      yield;
    }
  }
}

function hasSameIds(before: readonly Task[], after: readonly Task[]): boolean {
  return before.length === after.length && before.every(({ id }, at) => id === after[at]?.id);
}

/** Beside when it was changed. */
function isSameMetadata(before: TagMetadata, after: TagMetadata): boolean {
  return (
    before === after ||
    JSON.stringify({ ...before, updated: '' }) === JSON.stringify({ ...after, updated: '' })
  );
}

function indexOf(project: Project | undefined): StoredIndex {
  return { subtaskCount: (tag) => countSubtasks(project?.tags.get(tag)?.tasks ?? []) };
}

function metaOf({ currentTag, tags }: Project) {
  return { currentTag, tags: [...tags.keys()] };
}

function partsOf({ tags, files, reports }: Project, subtaskCount: (tag: string) => number): ProjectParts {
  return {
    files: [...files.keys()].sort(),
    reports: [...reports.keys()].sort(),
    subtasks: [...tags.keys()].map((name) => [name, subtaskCount(name)]),
  };
}

function recordOf({ metadata, extra, tasks }: Tag) {
  // The field keeps its position, so that an exported file has its fields in the imported order.
  return { metadata: { ...metadata, updated: null }, extra, ids: taskIdsOf(tasks) };
}
