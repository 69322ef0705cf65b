import {
  BatonError,
  exceedsDepth,
  exceedsValueCount,
  isRecord,
  MAX_STORED_JSON_DEPTH,
} from '@baton/protocol';
import { findBackEdges } from '../dependencies/back-edges.ts';
import { areTaskAndSubtask, buildGraph, dependencyLinks } from '../dependencies/dependency-graph.ts';
import { newTag, type Project, type Tag, type TagMetadata } from '../model/project.ts';
import { type Subtask, subtaskSchema, type Task, TASK_LIMITS, taskSchema } from '../model/task.ts';
import { type AssignedId, FileIds, rawSubtasks } from './file-ids.ts';
import { type FileRepair, shownValue } from './file-repair.ts';
import { type FileItem, noteChangedIds, repairItem } from './repair-item.ts';
import { type RawTag, countFileTags, readFileTags } from './file-tags.ts';
import { keepValue, metadataOf, noteMetadata } from './kept-values.ts';

/**
 * claude-task-master's tasks.json, in and out: `{ "<tag>": { "tasks": [...], "metadata": {...} } }`, and its older
 * form without tags, `{ "tasks": [...] }`, in, also where both stand in one file. Real files are damaged: what can be kept is, what has no place is kept under
 * `metadata`, and each change is a repair.
 */
export class ParsedTasksFile {
  readonly tags: ReadonlyMap<string, Tag>;
  /** In the file's order, tag by tag; those of the fields beside the tags come last. */
  readonly repairs: readonly FileRepair[];

  constructor(tags: ReadonlyMap<string, Tag>, repairs: readonly FileRepair[]) {
    this.tags = tags;
    this.repairs = repairs;
  }
}

/**
 * Reads a tasks.json that is parsed as JSON. `now` is the date of a tag without dates of its own.
 *
 * @throws BatonError `invalid_arguments` for a file that has no tag; `limit_size`.
 */
export function parseTasksFile(file: unknown, now: string): ParsedTasksFile {
  const reading = parseTasksFileInSteps(file, now);
  let turn = reading.next();
  while (!turn.done) turn = reading.next();
  return turn.value;
}

/**
 * The same as a generator that yields after every task and tag, at most a millisecond apart: a file of ten thousand
 * tasks would block the event loop, so the caller decides how much to read at once.
 */
export function* parseTasksFileInSteps(file: unknown, now: string): Generator<undefined, ParsedTasksFile> {
  if (!isRecord(file)) throw invalid([], 'must be an object: { "<tag>": { "tasks": [...] } }', file);
  if (exceedsValueCount(TASK_LIMITS.valuesPerFile, file)) {
    // Whole tasks are stored and read as they came, and each value of what Baton does not know costs its part.
    const most = TASK_LIMITS.valuesPerFile;
    throw new BatonError('limit_size', `The file: more than ${most} fields and elements are not taken.`, {
      limit: 'values',
      most,
    });
  }
  if (exceedsDepth(MAX_STORED_JSON_DEPTH, file))
    throw new BatonError('invalid_arguments', `The file nests deeper than ${MAX_STORED_JSON_DEPTH} levels.`);
  const count = countFileTags(file);
  if (count === 0) throw invalid([], 'must hold at least one tag, { "tasks": [...] }', file);
  if (count > TASK_LIMITS.tags) throw tooMany('The file', 'tags', count, TASK_LIMITS.tags);
  const found = readFileTags(file);
  const repairs: FileRepair[] = [];
  const repairsOfFile: FileRepair[] = [];
  const tags = new Map<string, Tag>();
  for (const { name, raw, repair } of found.tags) {
    if (repair !== undefined) repairs.push(repair);
    const metadata = metadataOf(raw);
    noteMetadata(raw, name, repairs);
    if (tags.size === 0) yield* keepOthers(found.others, name, metadata, repairsOfFile);
    const tag = yield* readTag(name, raw, metadata, now, repairs);
    tags.set(name, withoutWrongDependencies(tag, placesOf(name, raw, tag), repairs));
    yield;
  }
  return new ParsedTasksFile(tags, [...repairs, ...repairsOfFile]);
}

/** Keeps the fields beside the tags under the metadata of the first one. */
function* keepOthers(
  others: readonly (readonly [string, unknown])[],
  tag: string,
  metadata: Record<string, unknown>,
  repairs: FileRepair[],
): Generator<undefined, void> {
  for (const [place, value] of others) {
    const kept = keepValue(metadata, place, value);
    repairs.push({ place, problem: `is no tag; ${shownValue(value)} is under ${kept} of '${tag}'` });
    yield;
  }
}

/** A project as the text of tasks.json, in pieces of at most a task each: the whole would block the event loop. */
export function* tasksFileInSteps(project: Project): Generator<string> {
  let before = '{';
  for (const [name, { tasks, metadata, extra }] of project.tags) {
    yield `${before}${JSON.stringify(name)}:{"tasks":[`;
    for (const [at, task] of tasks.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(task)}`;
    yield `],"metadata":${JSON.stringify(metadata)}`;
    for (const [field, value] of Object.entries(extra))
      yield `,${JSON.stringify(field)}:${JSON.stringify(value)}`;
    yield '}';
    before = ',';
  }
  yield '}';
}

/** `kept` is the metadata as the file has it, with what has no other place; it is added to. */
function* readTag(
  name: string,
  raw: RawTag,
  kept: Record<string, unknown>,
  now: string,
  repairs: FileRepair[],
): Generator<undefined, Tag> {
  const { tasks: given, metadata: _, ...extra } = raw;
  if (given.length > TASK_LIMITS.tasksPerTag)
    throw tooMany(`Tag '${name}'`, 'tasks', given.length, TASK_LIMITS.tasksPerTag);
  const items = itemsOf(given, `${name}.tasks`, kept, repairs);
  const metadata = { ...newTag(name, now).metadata, ...kept } as TagMetadata;
  const ids = new FileIds(items.map(({ raw }) => raw));
  noteChangedIds(items, ids.tasks, repairs);
  const tasks: Task[] = [];
  let dependencies = 0;
  for (const [at, item] of items.entries()) {
    const task = readTask(item, at, ids, repairs);
    tasks.push(asWritten(task, item.raw));
    dependencies += dependenciesOf(task);
    if (dependencies > TASK_LIMITS.dependenciesPerTag)
      throw tooMany(`Tag '${name}'`, 'dependencies', dependencies, TASK_LIMITS.dependenciesPerTag);
    yield;
  }
  return { tasks, metadata, extra };
}

/** The objects of a list; what is none is kept under `metadata`, by the list's name. */
function itemsOf(
  given: readonly unknown[],
  list: string,
  metadata: Record<string, unknown>,
  repairs: FileRepair[],
): FileItem[] {
  const others = given.filter((item) => !isRecord(item));
  if (others.length > 0) {
    const field = list.slice(list.lastIndexOf('.') + 1);
    const kept = keepValue(metadata, field, others);
    repairs.push({ place: list, problem: `${shownValue(others)} are no ${field}, and under ${kept}` });
  }
  return given.flatMap((raw, index) => (isRecord(raw) ? [{ raw, place: `${list}.${index}` }] : []));
}

/** The task that is `at` in the tag. */
function readTask({ raw, place }: FileItem, at: number, ids: FileIds, repairs: FileRepair[]): Task {
  const { id } = ids.tasks[at] as AssignedId;
  const dependencies = byIds(raw, ids);
  const given = raw['subtasks'];
  if (!Array.isArray(given) || rawSubtasks(raw) === undefined)
    return repairItem(taskSchema, { raw, place }, id, dependencies, repairs);
  const metadata = metadataOf(raw);
  const items = itemsOf(given, `${place}.subtasks`, metadata, repairs);
  const assigned = ids.subtasks[at] as readonly AssignedId[];
  noteChangedIds(items, assigned, repairs);
  const subtasks = items.map((item, part) =>
    repairItem(subtaskSchema, item, (assigned[part] as AssignedId).id, byIds(item.raw, ids, id), repairs),
  );
  const whole = { ...raw, subtasks, ...(items.length < given.length ? { metadata } : {}) };
  return repairItem(taskSchema, { raw: whole, place }, id, dependencies, repairs);
}

/** The dependencies of an item, of a subtask of `parent` where that is given, on what they name now. */
function byIds({ dependencies }: FileItem['raw'], ids: FileIds, parent?: number): unknown {
  if (!Array.isArray(dependencies)) return dependencies;
  return dependencies.map((value: unknown) => ids.dependencyOf(value, parent) ?? value);
}

function dependenciesOf({ dependencies, subtasks }: Task): number {
  return subtasks.reduce((sum, subtask) => sum + subtask.dependencies.length, dependencies.length);
}

/** The task with its fields in the file's order, so that an export has the same order. */
function asWritten(item: Task, raw: unknown): Task {
  const given = isRecord(raw) && Array.isArray(raw['subtasks']) ? (raw['subtasks'] as unknown[]) : [];
  const subtasks = item.subtasks.map((subtask, index) => inOrderOf(subtask, given[index]));
  return inOrderOf({ ...item, subtasks }, raw);
}

function inOrderOf<T extends Task | Subtask>(item: T, raw: unknown): T {
  const given = isRecord(raw) ? raw : {};
  const has = (name: string) => item[name as keyof T] !== undefined;
  const names = [
    ...Object.keys(given).filter((name) => Object.hasOwn(item, name) && has(name)),
    ...Object.keys(item).filter((name) => !Object.hasOwn(given, name) && has(name)),
  ];
  return Object.fromEntries(names.map((name) => [name, item[name as keyof T]])) as T;
}

/** Where each task and subtask of a tag stands in the file, by the outside id that it has now. */
function placesOf(name: string, raw: RawTag, { tasks }: Tag): Map<string, string> {
  const places = new Map<string, string>();
  const indexes = indexesOfObjects(raw.tasks);
  for (const [at, { id, subtasks }] of tasks.entries()) {
    const index = indexes[at] as number;
    const place = `${name}.tasks.${index}`;
    places.set(`${id}`, place);
    if (subtasks.length === 0) continue;
    const parts = indexesOfObjects((raw.tasks[index] as { subtasks: unknown[] }).subtasks);
    for (const [part, subtask] of subtasks.entries())
      places.set(`${id}.${subtask.id}`, `${place}.subtasks.${parts[part]}`);
  }
  return places;
}

function indexesOfObjects(list: readonly unknown[]): number[] {
  return list.flatMap((item, index) => (isRecord(item) ? [index] : []));
}

/** Without dependencies on nothing, repeated ones, and one of each cycle. */
function withoutWrongDependencies(tag: Tag, places: ReadonlyMap<string, string>, repairs: FileRepair[]): Tag {
  const links = dependencyLinks(tag.tasks);
  const back = new Map<string, Set<string>>();
  for (const { from, to } of findBackEdges(buildGraph(links)))
    back.set(from, (back.get(from) ?? new Set()).add(to));
  const gone = new Map<string, Set<unknown>>();
  for (const { from, dependency, to } of links) {
    const closesCycle = to !== undefined && back.get(from)?.has(to) === true;
    const isOfWhole = to !== undefined && areTaskAndSubtask(from, to);
    if (to !== undefined && !closesCycle && !isOfWhole) continue;
    const dropped = gone.get(from) ?? new Set();
    if (dropped.has(dependency)) continue;
    gone.set(from, dropped.add(dependency));
    const why = isOfWhole
      ? 'closes a cycle, since a task is done only with its subtasks'
      : closesCycle
        ? 'closes a cycle'
        : 'names nothing';
    const problem = `that of ${from} on ${dependency} ${why}; it is left out`;
    repairs.push({ place: `${places.get(from)}.dependencies`, problem });
  }
  const clean = <T extends Task | Subtask>(item: T, id: string): T => {
    const dropped = gone.get(id);
    const kept = item.dependencies.filter((dependency) => !dropped?.has(dependency));
    const dependencies = [...new Set(kept)];
    if (dependencies.length < kept.length)
      repairs.push({
        place: `${places.get(id)}.dependencies`,
        problem: `those of ${id} that are repeated are left out`,
      });
    return dependencies.length === item.dependencies.length ? item : { ...item, dependencies };
  };
  const tasks = tag.tasks.map((item) => {
    const subtasks = item.subtasks.map((subtask) => clean(subtask, `${item.id}.${subtask.id}`));
    return { ...clean(item, `${item.id}`), subtasks };
  });
  return { ...tag, tasks };
}

function invalid(path: readonly PropertyKey[], problem: string, value: unknown): BatonError {
  const field = path.map(String).join('.');
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 80);
  return new BatonError('invalid_arguments', `${field || 'The file'}: ${problem}; it is ${shown}.`, {
    field: field || 'file',
  });
}

function tooMany(whose: string, what: string, found: number, most: number): BatonError {
  return new BatonError('limit_size', `${whose}: more than ${most} ${what} (${found}) are not taken.`, {
    limit: what,
    most,
  });
}
