import { BatonError } from '@baton/protocol';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';
import { editTasksInTag, replaceTask } from '../task-edits/edit-tasks-in-tag.ts';
import { buildGraph, dependencyLinks } from '../dependencies/dependency-graph.ts';
import { type Project, withComplexityReport, withTag } from '../model/project.ts';
import { requireProject, requireSubtask, requireTag, requireTask } from '../model/require-existing.ts';
import { convertSubtaskToTask, convertTaskToSubtask } from '../task-edits/convert-item.ts';
import { noHigherIdError } from '../model/project-errors.ts';
import { MAX_LISTED } from '../model/remarks.ts';
import { remapReportTaskIds } from '../model/complexity-report.ts';
import { remapDependencies } from '../dependencies/remap-dependencies.ts';
import { formatTaskRef, MAX_ID, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { findTask, type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';

/** Each move visits all dependencies of the tag. */
const MOST_MOVES = 20;

/** Gives tasks and subtasks other ids within a tag: `from` and `to` are lists of the same length. */
interface MoveTasksWithinTag {
  readonly from: string;
  readonly to: string;
  readonly tag?: string | undefined;
}

/** Takes whole tasks from one tag to another, where they keep their ids as far as these are free. */
interface MoveTasksBetweenTags {
  readonly from: string;
  readonly fromTag: string;
  readonly toTag: string;
  /** What becomes of dependencies between what goes and what stays. */
  readonly dependencies: 'refuse' | 'take_along' | 'drop';
}

/**
 * The moves, one after the other, all or none. Dependencies follow what they mean; a subtask that moves to the place of
 * another of the same task takes that place in the order and keeps its id.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments` for a place
 *   that is taken or cannot hold what moves.
 */
export function moveTasksWithinTag(
  project: Project | undefined,
  command: MoveTasksWithinTag,
  now: string,
): CommandResult {
  const from = parseTaskRefs(command.from, 'from');
  const to = parseTaskRefs(command.to, 'to');
  if (from.length !== to.length)
    throw refuse('to', `names ${to.length} places for the ${from.length} of from`);
  if (from.length > MOST_MOVES)
    throw refuse('from', `names ${from.length}; ${MOST_MOVES} may be moved in one call`);
  const numbers = new Map<number, number>();
  const applied = editTasksInTag(project, command.tag, now, (before, tag) => {
    let tasks = before;
    const moved: { from: string; to: string }[] = [];
    const reordered: { id: string; placeOf: string }[] = [];
    for (const [at, source] of from.entries()) {
      const place = to[at] as TaskRef;
      if (formatTaskRef(source) === formatTaskRef(place)) continue;
      const [id, placeOf] = [formatTaskRef(source), formatTaskRef(place)];
      const inPlace = isPlaceOfSibling(tasks, source, place);
      tasks = move(tasks, source, place, tag);
      if (inPlace) reordered.push({ id, placeOf });
      else moved.push({ from: id, to: placeOf });
      if (source.subtask === undefined && place.subtask === undefined) numbers.set(source.task, place.task);
    }
    return { tasks, outcome: { moved, ...(reordered.length > 0 ? { reordered } : {}) } };
  });
  const tag = applied.outcome['tag'] as string;
  const report = applied.project.reports.get(tag);
  if (report === undefined) return applied;
  const there = new Set(applied.project.tags.get(tag)?.tasks.map(({ id }) => id));
  const renumbered = remapReportTaskIds(report, (id) => {
    const now = numbers.get(id) ?? id;
    return there.has(now) ? now : undefined;
  });
  return { ...applied, project: withComplexityReport(applied.project, tag, renumbered) };
}

function move(tasks: readonly Task[], source: TaskRef, place: TaskRef, tag: string): readonly Task[] {
  const task = requireTask({ tasks }, tag, source);
  const renamed = new Map([[formatTaskRef(place), formatTaskRef(source)]]);
  if (source.subtask === undefined) {
    const left = tasks.filter((other) => other !== task);
    if (place.subtask === undefined) {
      refuseTaken(tasks, place);
      const subtasks = task.subtasks.map(({ id }): [string, string] => [
        `${place.task}.${id}`,
        `${source.task}.${id}`,
      ]);
      const next = inOrder(left, { ...task, id: place.task });
      return remapDependencies(tasks, { tasks: next, renamed: new Map([...renamed, ...subtasks]) });
    }
    if (task.subtasks.length > 0)
      throw refuse('from', `task ${task.id} has subtasks of its own, which a subtask cannot have`);
    if (place.task === task.id)
      throw refuse('to', `${formatTaskRef(place)} is within task ${task.id} itself`);
    return remapDependencies(tasks, {
      tasks: withSubtask(left, convertTaskToSubtask(task, place.subtask), place, tag),
      renamed,
    });
  }
  const subtask = requireSubtask(task, tag, source);
  if (isPlaceOfSibling(tasks, source, place))
    return replaceTask(tasks, {
      ...task,
      subtasks: inPlaceOf(task.subtasks, subtask, place.subtask as number),
    });
  const left = replaceTask(tasks, { ...task, subtasks: task.subtasks.filter((other) => other !== subtask) });
  if (place.subtask === undefined) {
    refuseTaken(tasks, place);
    return remapDependencies(tasks, {
      tasks: inOrder(left, convertSubtaskToTask(subtask, place.task, task)),
      renamed,
    });
  }
  const next = withSubtask(left, { ...subtask, id: place.subtask }, place, tag);
  return remapDependencies(tasks, { tasks: next, renamed });
}

function withSubtask(tasks: readonly Task[], subtask: Subtask, place: TaskRef, tag: string) {
  refuseTaken(tasks, place);
  const parent = requireTask({ tasks }, tag, { task: place.task });
  if (parent.subtasks.length >= TASK_LIMITS.subtasksPerTask)
    throw refuse('to', `task ${parent.id} already has ${parent.subtasks.length} subtasks`);
  const subtasks = [...parent.subtasks, subtask].sort((a, b) => a.id - b.id);
  return replaceTask(tasks, { ...parent, subtasks });
}

/** A subtask that goes where another of its task is keeps its id: it changes the order only. */
function isPlaceOfSibling(tasks: readonly Task[], source: TaskRef, place: TaskRef): boolean {
  if (source.subtask === undefined || place.subtask === undefined || source.task !== place.task) return false;
  return findTask(tasks, place.task)?.subtasks.some(({ id }) => id === place.subtask) === true;
}

/** Reorders: the subtask takes the position of the other, as in drag and drop. */
function inPlaceOf(subtasks: readonly Subtask[], moved: Subtask, other: number): Subtask[] {
  const to = subtasks.findIndex(({ id }) => id === other);
  const left = subtasks.filter((subtask) => subtask !== moved);
  left.splice(to, 0, moved);
  return left;
}

function inOrder(tasks: readonly Task[], task: Task): Task[] {
  const after = tasks.findIndex(({ id }) => id > task.id);
  return after === -1 ? [...tasks, task] : [...tasks.slice(0, after), task, ...tasks.slice(after)];
}

function refuseTaken(tasks: readonly Task[], place: TaskRef): void {
  const task = tasks.find(({ id }) => id === place.task);
  const taken = place.subtask === undefined ? task : task?.subtasks.find(({ id }) => id === place.subtask);
  if (taken !== undefined)
    throw refuse('to', `${formatTaskRef(place)} is taken ('${taken.title.slice(0, 60)}')`);
}

/** @throws BatonError as `moveTasks`, and `invalid_arguments` naming the dependencies that are in the way. */
export function moveTasksBetweenTags(
  project: Project | undefined,
  command: MoveTasksBetweenTags,
  now: string,
): CommandResult {
  const existing = requireProject(project);
  const { fromTag, toTag } = command;
  if (fromTag === toTag) throw refuse('toTag', `'${toTag}' is the tag that they are in`);
  const source = requireTag(existing, fromTag);
  const target = requireTag(existing, toTag);
  const moving = new Set<number>();
  for (const ref of parseTaskRefs(command.from, 'from')) {
    requireTask(source, fromTag, ref);
    if (ref.subtask !== undefined)
      throw refuse('from', `${formatTaskRef(ref)} is a subtask; only whole tasks go to another tag`);
    moving.add(ref.task);
  }
  const links = dependencyLinks(source.tasks);
  if (command.dependencies === 'take_along') {
    const graph = byTask(buildGraph(links));
    for (const id of moving) for (const needed of graph.get(id) ?? []) moving.add(needed);
  }
  const crossing = links.filter(
    ({ from, to }) => to !== undefined && moving.has(taskOf(from)) !== moving.has(taskOf(to)),
  );
  if (crossing.length > 0 && command.dependencies === 'refuse') {
    const shown = crossing.slice(0, 10).map(({ from, to }) => `${from} → ${to}`);
    throw refuse(
      'from',
      `dependencies lead between what goes and what stays (${shown.join(', ')}): ` +
        'set withDependencies to take along what they need, or ignoreDependencies to drop them',
    );
  }
  const leaving = source.tasks.filter(({ id }) => moving.has(id));
  const numbers = freeNumbers(leaving, target.tasks);
  const renumbered = leaving.map((task) => ({ ...task, id: numbers.get(task.id) ?? task.id }));
  const renamed = new Map(leaving.flatMap((task) => renamedIds(task, numbers.get(task.id))));
  const gone = remapDependencies(source.tasks, { tasks: renumbered, renamed });
  const kept = remapDependencies(source.tasks, {
    tasks: source.tasks.filter(({ id }) => !moving.has(id)),
    renamed: none,
  });
  if (target.tasks.length + gone.length > TASK_LIMITS.tasksPerTag)
    throw refuse('toTag', `'${toTag}' would hold more than ${TASK_LIMITS.tasksPerTag} tasks`);
  const updated = (metadata: typeof source.metadata) => ({ ...metadata, updated: now });
  const arrived = [...target.tasks, ...gone];
  if (target.tasks.every(({ id }, at) => at === 0 || id > (target.tasks[at - 1]?.id ?? 0)))
    arrived.sort((a, b) => a.id - b.id);
  let next = withTag(existing, fromTag, { ...source, tasks: kept, metadata: updated(source.metadata) });
  next = withTag(next, toTag, { ...target, tasks: arrived, metadata: updated(target.metadata) });
  const report = next.reports.get(fromTag);
  if (report !== undefined)
    next = withComplexityReport(
      next,
      fromTag,
      remapReportTaskIds(report, (id) => (moving.has(id) ? undefined : id)),
    );
  const dropped = crossing.map(({ from, to }) => `${from} → ${to}`);
  const moved = leaving.map(({ id }) => ({ from: `${id}`, to: `${numbers.get(id) ?? id}` }));
  return {
    project: next,
    outcome: asJsonOutcome({ tag: toTag, moved, droppedDependencies: dropped.slice(0, MAX_LISTED) }),
  };
}

const none: ReadonlyMap<string, string> = new Map();

/** New numbers for the tasks whose own is taken where they go: those behind all others. */
function freeNumbers(leaving: readonly Task[], there: readonly Task[]): ReadonlyMap<number, number> {
  const taken = new Set(there.map(({ id }) => id));
  let free = 0;
  for (const { id } of [...there, ...leaving]) free = Math.max(free, id);
  if (free + leaving.length > MAX_ID && leaving.some(({ id }) => taken.has(id)))
    throw noHigherIdError(`task ${free}`);
  return new Map(leaving.flatMap(({ id }) => (taken.has(id) ? [[id, ++free] as const] : [])));
}

/** The ids of a task and its subtasks under its new number, each with the one before. */
function renamedIds({ id, subtasks }: Task, now: number | undefined): [string, string][] {
  if (now === undefined) return [];
  return [
    [`${now}`, `${id}`],
    ...subtasks.map((subtask): [string, string] => [`${now}.${subtask.id}`, `${id}.${subtask.id}`]),
  ];
}

function taskOf(outsideId: string): number {
  return Number.parseInt(outsideId, 10);
}

/** Which tasks a task needs, for itself or for a subtask. */
function byTask(graph: ReadonlyMap<string, readonly string[]>): Map<number, number[]> {
  const needs = new Map<number, number[]>();
  for (const [from, to] of graph) {
    const own = needs.get(taskOf(from));
    if (own) own.push(...to.map(taskOf));
    else needs.set(taskOf(from), to.map(taskOf));
  }
  return needs;
}

function refuse(field: string, problem: string): BatonError {
  return new BatonError('invalid_arguments', `${field}: ${problem}. Nothing was changed.`, { field });
}
