import { readUids } from '../model/item-uid.ts';
import { isRecord } from '@baton/protocol';
import type { ComplexityReport } from '../model/complexity-report.ts';
import type { ConnectedFile, ProjectMetadata } from '../model/project-metadata.ts';
import type { Project, Tag, TagMetadata } from '../model/project.ts';
import type { Task } from '../model/task.ts';
import {
  ABOUT,
  FILE,
  META,
  PARTS,
  parseFieldName,
  REPORT,
  RULES,
  tagField,
  taskField,
  updatedField,
} from './field-names.ts';
import type { ChangedFields } from './changed-fields.ts';
import { TagTasks } from './tag-tasks.ts';
import { type IndexBucket, taskHeadOf } from './task-index.ts';
import { expectedLength, isUnread, unread, UnreadTasks, withStoredLength } from './unread.ts';

/** What there is beside the tasks, by name, so that it need not be read to be known; kept with the index. */
export interface ProjectParts {
  readonly files: readonly string[];
  readonly reports: readonly string[];
  /** How many subtasks the tasks of each tag have. */
  readonly subtasks: readonly (readonly [tag: string, count: number])[];
}

const STRUCTURE: ReadonlySet<string> = new Set(['tag', 'updated', 'index']);

/** So many are read with what says whether they are needed. */
const FEW_TEXTS = 2;

interface TagRecord {
  readonly metadata: TagMetadata;
  readonly extra: Tag['extra'];
  readonly ids: readonly number[];
}

/**
 * The fields of a stored project that were read so far. `project` is the project as far as they tell, with stand-ins for
 * the rest. Whoever looks at a stand-in is given nothing of use, and the field that he needs stands in `missing`: read
 * it, `add` it, and do the same again. What was computed while `missing` stays empty is right.
 */
export class ProjectFields {
  /** The fields that were looked at and are not read. */
  readonly missing = new Set<string>();
  private readonly values = new Map<string, unknown>();
  private readonly standIns = new Map<string, UnreadTasks>();
  private subtaskCounts: ReadonlyMap<string, number> = new Map();
  /** By tag and id, tasks that were read and stand-ins for the others. */
  private readonly tasks = new Map<string, TagTasks>();
  /** Characters that were added so far. */
  addedLength = 0;
  /** Of a whole record, until a file or a report comes or goes. */
  private partsOfWhole: ProjectParts | undefined;
  /** Made of the fields as they are now. */
  private made: Project | undefined;
  /** What is not added does not exist. */
  readonly whole: boolean;

  constructor({ whole }: { whole: boolean }) {
    this.whole = whole;
  }

  /** The fields that were read. */
  get names(): readonly string[] {
    return [...this.values.keys()];
  }

  /** Adds a field; `text` is undefined for one that does not exist. @throws Error on what is not JSON. */
  add(field: string, text: string | undefined): void {
    this.made = undefined;
    const name = parseFieldName(field);
    if (this.whole && name?.kind === 'index') return;
    this.addedLength += text?.length ?? 0;
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (text === undefined) this.forget(field);
    else if (name?.kind === 'task') {
      const task = requireRecord(field, value) as unknown as Task;
      readUids(task);
      withStoredLength(task, text.length);
    }
    this.keep(field, value);
    if (name?.kind === 'index') this.addHeads(name.of, (value ?? {}) as IndexBucket);
    if (field === PARTS && !this.whole)
      this.subtaskCounts = new Map((value as ProjectParts | undefined)?.subtasks);
  }

  /**
   * What to read next of what is missing. While it is not known who there is and how it stands, many texts are looked at
   * by mistake: a task that is not known to be done looks as if it were not.
   */
  get wanted(): string[] {
    const structure = [...this.missing].filter((field) => STRUCTURE.has(parseFieldName(field)?.kind ?? ''));
    const others = this.missing.size - structure.length;
    return structure.length > 0 && others > FEW_TEXTS ? structure : [...this.missing];
  }

  /** Goes on from a change that was committed. */
  apply(change: ChangedFields): void {
    this.made = undefined;
    const copied = change.copy.map(([from, to]) => ({
      to,
      value: this.values.get(from),
      known: this.values.has(from),
    }));
    for (const { to, value, known } of copied) {
      this.forget(to);
      if (known) this.keep(to, value);
    }
    for (const field of change.delete) {
      this.forget(field);
      if (!this.whole) this.values.set(field, undefined);
    }
    for (const [field, text] of change.set) this.add(field, text);
  }

  has(field: string): boolean {
    return this.whole || this.values.has(field);
  }

  /** The length of a field's text as the index has it; undefined where it has none. */
  expectedLength(field: string): number | undefined {
    const name = parseFieldName(field);
    const task = name?.kind === 'task' ? this.tasks.get(name.of)?.get(name.number) : undefined;
    return task && expectedLength(task);
  }

  /** How many subtasks a tag has. */
  subtaskCount(tag: string): number {
    if (!this.whole) return this.subtaskCounts.get(tag) ?? 0;
    return countSubtasks(this.tag(tag).tasks);
  }

  /** The project as far as it was read. @throws Error on fields that no commit wrote. */
  get project(): Project {
    this.made ??= this.make();
    return this.made;
  }

  private make(): Project {
    const meta = this.record(META);
    const names = meta['tags'] as string[];
    const { files, reports } = this.parts;
    return {
      currentTag: meta['currentTag'] as string,
      tags: new Map(names.map((name) => [name, this.tag(name)])),
      about: this.value<ProjectMetadata>(ABOUT, {}),
      rules: this.value<readonly string[]>(RULES, []),
      files: new Map(files.map((name) => [name, this.value<ConnectedFile>(FILE + name, NO_FILE)])),
      reports: new Map(reports.map((tag) => [tag, this.value<ComplexityReport>(REPORT + tag, NO_REPORT)])),
    };
  }

  private get parts(): ProjectParts {
    const kept = this.values.get(PARTS);
    if (!this.whole) return requireRecord(PARTS, kept) as unknown as ProjectParts;
    const named = (prefix: string) =>
      [...this.values.keys()]
        .filter((field) => field.startsWith(prefix))
        .map((field) => field.slice(prefix.length))
        .sort();
    this.partsOfWhole ??= { files: named(FILE), reports: named(REPORT), subtasks: [] };
    return this.partsOfWhole;
  }

  private tag(name: string): Tag {
    const field = tagField(name);
    const updated = updatedField(name);
    if (!this.has(field) || !this.has(updated)) {
      const need = () => void this.missing.add(field).add(updated);
      return { tasks: unread([], need), metadata: unread(NO_METADATA, need), extra: unread({}, need) };
    }
    const { metadata, extra, ids } = this.record(field) as unknown as TagRecord;
    const changed = (this.values.get(updated) as string | undefined) ?? metadata.updated;
    return {
      tasks: this.tasksInOrder(name, ids),
      metadata: { ...metadata, updated: changed },
      extra,
    };
  }

  private keep(field: string, value: unknown): void {
    this.values.set(field, value);
    const name = parseFieldName(field);
    if (name?.kind === 'file' || name?.kind === 'report') this.partsOfWhole = undefined;
    if (name?.kind === 'tag') this.standIns.delete(name.of);
    if (name?.kind === 'task' && value !== undefined) this.tasksOf(name.of).set(name.number, value as Task);
  }

  private addHeads(tag: string, entries: IndexBucket): void {
    const tasks = this.tasksOf(tag);
    const standIns = this.standInsOf(tag);
    for (const key in entries) {
      const id = Number(key);
      const known = tasks.get(id);
      const entry = entries[key];
      if (entry !== undefined && (known === undefined || isUnread(known)))
        tasks.set(id, standIns.withHead(taskHeadOf(id, entry)));
    }
  }

  private forget(field: string): void {
    this.values.delete(field);
    const name = parseFieldName(field);
    if (name?.kind === 'file' || name?.kind === 'report') this.partsOfWhole = undefined;
    if (name?.kind === 'task') this.tasks.get(name.of)?.delete(name.number);
  }

  private tasksOf(tag: string): TagTasks {
    const tasks = this.tasks.get(tag) ?? new TagTasks();
    this.tasks.set(tag, tasks);
    return tasks;
  }

  private standInsOf(tag: string): UnreadTasks {
    const known = this.standIns.get(tag);
    if (known !== undefined) return known;
    const found = this.values.get(tagField(tag)) as TagRecord | undefined;
    const standIns = new UnreadTasks(tag, this.missing, found?.ids ?? [], (field) => this.values.has(field));
    this.standIns.set(tag, standIns);
    return standIns;
  }

  private tasksInOrder(tag: string, ids: readonly number[]): readonly Task[] {
    const standIns = this.standInsOf(tag);
    return this.tasksOf(tag).inOrder(ids, (id) => {
      // A whole record that lacks the field is no project.
      if (this.has(taskField(tag, id))) return this.record(taskField(tag, id)) as unknown as Task;
      return standIns.withId(id);
    });
  }

  private value<T extends object>(field: string, absent: T): T {
    if (!this.has(field)) return unread(absent, () => void this.missing.add(field));
    return (this.values.get(field) as T | undefined) ?? absent;
  }

  private record(field: string): Record<string, unknown> {
    return requireRecord(field, this.values.get(field));
  }
}

export function countSubtasks(tasks: readonly Task[]): number {
  return tasks.reduce((sum, { subtasks }) => sum + subtasks.length, 0);
}

const NO_METADATA: TagMetadata = { created: '', updated: '', description: '' };
const NO_FILE: ConnectedFile = { text: '', updated: '' };
const NO_REPORT = { meta: {}, complexityAnalysis: [] } as unknown as ComplexityReport;

function requireRecord(field: string, value: unknown): Record<string, unknown> {
  if (value === undefined) throw new Error(`the project's record lacks its field '${field}'`);
  if (!isRecord(value)) throw new Error(`the project's field '${field}' is not an object`);
  return value;
}
