import {
  BatonError,
  exceedsDepth,
  exceedsValueCount,
  isRecord,
  MAX_STORED_JSON_DEPTH,
} from '@baton/protocol';
import { z } from 'zod';
import { buildGraph, dependencyLinks, findCycles } from '../dependencies/dependency-graph.ts';
import { findDuplicates } from '../dependencies/find-duplicates.ts';
import {
  DEFAULT_TAG,
  newTag,
  type Project,
  type Tag,
  type TagMetadata,
  tagNameSchema,
} from '../model/project.ts';
import { type Subtask, type Task, TASK_LIMITS, taskSchema } from '../model/task.ts';

/**
 * claude-task-master's tasks.json, in and out: `{ "<tag>": { "tasks": [...], "metadata": {...} } }`, and its older
 * form without tags, `{ "tasks": [...] }`, in. Unknown fields are kept; other spellings (of statuses, of ids as strings)
 * are normalized; a dependency on an item that does not exist is dropped and reported.
 */
export class ParsedTasksFile {
  readonly tags: ReadonlyMap<string, Tag>;
  /** Dependencies that named nothing, as `master.tasks.5.dependencies: 99`. */
  readonly droppedDependencies: readonly string[];

  constructor(tags: ReadonlyMap<string, Tag>, droppedDependencies: readonly string[]) {
    this.tags = tags;
    this.droppedDependencies = droppedDependencies;
  }
}

/** A tag but for its tasks, which are read one by one. */
const fileTag = z.looseObject({
  tasks: z
    .array(z.unknown())
    .max(TASK_LIMITS.tasksPerTag, `must be at most ${TASK_LIMITS.tasksPerTag} tasks`),
  metadata: z.looseObject({}).nullish(),
});

/**
 * Reads a tasks.json that is parsed as JSON. `now` is the date of a tag without dates of its own.
 *
 * @throws BatonError `invalid_arguments`, naming the path and the value; `dependency_cycle`, naming the tasks;
 *   `limit_size`.
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
  const tagged = Array.isArray(file['tasks']) ? { [DEFAULT_TAG]: file } : file;
  const names = Object.keys(tagged);
  if (names.length === 0) throw invalid([], 'must hold at least one tag', file);
  if (names.length > TASK_LIMITS.tags) throw tooMany('The file', 'tags', names.length, TASK_LIMITS.tags);
  const droppedDependencies: string[] = [];
  const tags = new Map<string, Tag>();
  for (const name of names) {
    const tag = yield* readTag(name, tagged[name], now);
    tags.set(name, withKnownDependencies(name, tag, droppedDependencies));
    yield;
  }
  return new ParsedTasksFile(tags, droppedDependencies);
}

/** A project as tasks.json, ready for `JSON.stringify`. */
export function toTasksFile(project: Project): Record<string, unknown> {
  return Object.fromEntries(
    [...project.tags].map(([name, { tasks, metadata, extra }]) => [name, { tasks, metadata, ...extra }]),
  );
}

/** The same as pieces of its text, at most a task each: the whole would block the event loop. */
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

function* readTag(name: string, raw: unknown, now: string): Generator<undefined, Tag> {
  const named = tagNameSchema.safeParse(name);
  if (!named.success) throw invalid([name], 'the tag must be 1 to 64 letters, digits or - _ .', name);
  const parsed = fileTag.safeParse(raw);
  if (!parsed.success) throw fromIssue([name], parsed.error, raw);
  const { tasks: given, metadata, ...extra } = parsed.data;
  const tasks: Task[] = [];
  let dependencies = 0;
  for (const [index, written] of given.entries()) {
    const read = taskSchema.safeParse(written);
    if (!read.success) throw fromIssue([name, 'tasks', index], read.error, written);
    tasks.push(asWritten(read.data, written));
    dependencies += dependenciesOf(read.data);
    if (dependencies > TASK_LIMITS.dependenciesPerTag)
      throw tooMany(`Tag '${name}'`, 'dependencies', dependencies, TASK_LIMITS.dependenciesPerTag);
    yield;
  }
  refuseDoubles(name, tasks);
  return { tasks, metadata: { ...newTag(name, now).metadata, ...metadata } as TagMetadata, extra };
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

function refuseDoubles(name: string, tasks: readonly Task[]): void {
  const [twice] = findDuplicates(tasks.map(({ id }) => id));
  if (twice !== undefined) throw invalid([name, 'tasks'], 'two tasks have the same id', twice);
  for (const [index, { subtasks }] of tasks.entries()) {
    const [again] = findDuplicates(subtasks.map(({ id }) => id));
    if (again !== undefined) {
      throw invalid([name, 'tasks', index, 'subtasks'], 'two subtasks have the same id', again);
    }
  }
}

function withKnownDependencies(name: string, tag: Tag, dropped: string[]): Tag {
  const links = dependencyLinks(tag.tasks);
  const [ring] = findCycles(buildGraph(links));
  if (ring !== undefined) {
    const ids = ring.slice(0, 20);
    const what = ids.length === 1 ? 'depends on itself' : 'depend on each other';
    throw new BatonError(
      'dependency_cycle',
      `Tag '${name}': ${ids.join(', ')} ${what}. Take that dependency out.`,
      {
        tag: name,
        ids,
      },
    );
  }
  const unknown = new Map<string, Set<unknown>>();
  for (const { from, dependency, to } of links) {
    if (to !== undefined) continue;
    dropped.push(`${name} ${from}: ${dependency}`);
    unknown.set(from, (unknown.get(from) ?? new Set()).add(dependency));
  }
  const clean = <T extends Task | Subtask>(item: T, id: string): T => {
    const gone = unknown.get(id);
    const dependencies = [...new Set(item.dependencies)].filter((dependency) => !gone?.has(dependency));
    return dependencies.length === item.dependencies.length ? item : { ...item, dependencies };
  };
  const tasks = tag.tasks.map((item) => {
    const subtasks = item.subtasks.map((subtask) => clean(subtask, `${item.id}.${subtask.id}`));
    return { ...clean(item, `${item.id}`), subtasks };
  });
  return { ...tag, tasks };
}

function fromIssue(where: readonly PropertyKey[], error: z.ZodError, raw: unknown): BatonError {
  const issue = error.issues[0];
  const path = issue?.path ?? [];
  let value: unknown = raw;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  return invalid([...where, ...path], issue?.message ?? 'cannot be read', value);
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
