import { BatonError, findPath } from '@baton/protocol';
import { type CommandResult } from '../model/command-result.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import {
  areTaskAndSubtask,
  buildGraph,
  allItemIds,
  dependencyLinks,
  resolveDependency,
} from '../dependencies/dependency-graph.ts';
import type { Project } from '../model/project.ts';
import { dependencyCycleError } from '../model/project-errors.ts';
import { requireSubtask, requireTask } from '../model/require-existing.ts';
import { chooseDependencyForm } from '../dependencies/remap-dependencies.ts';
import { type Dependency, formatTaskRef, parseTaskRefs, type TaskRef } from '../model/task-id.ts';
import { type Task, TASK_LIMITS } from '../model/task.ts';
import { tooManyIdsError } from '../task-edits/item-refs.ts';
import { updateItemAt } from '../task-edits/update-item-at.ts';
import { type DependencyIssue, findDependencyIssues } from '../dependencies/find-dependency-issues.ts';

/** Lets each of `id` wait for each of `dependsOn`, all by their outside ids. */
interface EditDependencies {
  readonly id: string;
  readonly dependsOn: string;
  readonly tag?: string | undefined;
}

/** @throws BatonError `dependency_cycle` naming the chain, `project_task_not_found`, `invalid_arguments`, ... */
export function addDependency(
  project: Project | undefined,
  command: EditDependencies,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, tag) => {
    const holders = knownRefs(command.id, tasks, tag);
    const needs = knownRefs(command.dependsOn, tasks, tag, 'dependsOn');
    refuseTooManyPairs(holders.length * needs.length);
    const known = allItemIds(tasks);
    const links: Links = { known, graph: buildGraph(dependencyLinks(tasks, known)) };
    let next = tasks;
    const added: { id: string; dependsOn: string }[] = [];
    for (const holder of holders) {
      for (const needed of needs) {
        const after = withDependency(next, holder, needed, links);
        if (after === next) continue;
        next = after;
        added.push({ id: formatTaskRef(holder), dependsOn: formatTaskRef(needed) });
      }
    }
    return { tasks: next, outcome: { added } };
  });
}

/** Who there is and who depends on whom, kept in step with what is added: to look at all anew for each would be slow. */
interface Links {
  readonly known: ReadonlySet<string>;
  readonly graph: Map<string, readonly string[]>;
}

/** The tasks with one dependency more; the same tasks when it was there. */
function withDependency(
  tasks: readonly Task[],
  holder: TaskRef,
  needed: TaskRef,
  { known, graph }: Links,
): readonly Task[] {
  const [from, to] = [formatTaskRef(holder), formatTaskRef(needed)];
  if (from === to) throw dependencyCycleError([from, to]);
  const parent = holder.subtask === undefined ? undefined : holder.task;
  return updateItemAt(tasks, holder, (item) => {
    const edges = graph.get(from) ?? [];
    if (edges.includes(to)) return item;
    if (areTaskAndSubtask(from, to)) throw dependencyCycleError([from, to, from]);
    const chain = findPath(graph, to, from);
    if (chain !== undefined) throw dependencyCycleError([from, ...chain]);
    if (item.dependencies.length >= TASK_LIMITS.dependencies) throw tooMany(from);
    const written = chooseDependencyForm(to, undefined, known, from, parent);
    graph.set(from, [...edges, to]);
    return { ...item, dependencies: [...item.dependencies, written] };
  });
}

/** @throws BatonError as `addDependency`; `dependency_not_found` when nothing of it was there. */
export function removeDependency(
  project: Project | undefined,
  command: EditDependencies,
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks, tag) => {
    const known = allItemIds(tasks);
    const needed = new Set(parseTaskRefs(command.dependsOn, 'dependsOn').map(formatTaskRef));
    const removed: { id: string; dependsOn: string }[] = [];
    let next = tasks;
    for (const holder of knownRefs(command.id, tasks, tag)) {
      const id = formatTaskRef(holder);
      const parent = holder.subtask === undefined ? undefined : holder.task;
      next = updateItemAt(next, holder, (item) => {
        const stays = (dependency: Dependency) => {
          const meant = resolveDependency(known, dependency, parent);
          if (meant === undefined || !needed.has(meant)) return true;
          removed.push({ id, dependsOn: meant });
          return false;
        };
        const dependencies = item.dependencies.filter(stays);
        return dependencies.length === item.dependencies.length ? item : { ...item, dependencies };
      });
    }
    if (removed.length === 0) {
      const message = `${command.id} does not depend on ${command.dependsOn}. Nothing was changed.`;
      throw new BatonError('dependency_not_found', message, { id: command.id, dependsOn: command.dependsOn });
    }
    return { tasks: next, outcome: { removed } };
  });
}

/** Removes wrong dependencies: unknown ones, duplicates, and one of each cycle until none is left. */
export function fixDependencies(
  project: Project | undefined,
  command: { readonly tag?: string | undefined },
  now: string,
): CommandResult {
  return editTasksInTag(project, command.tag, now, (tasks) => {
    const fixed: DependencyIssue[] = [];
    let next = tasks;
    for (let issues = findDependencyIssues(next); issues.length > 0; issues = findDependencyIssues(next)) {
      const known = allItemIds(next);
      for (const found of issues) next = without(next, found, known);
      fixed.push(...issues);
    }
    return { tasks: next, outcome: { fixed, checked: tasks.length } };
  });
}

function without(
  tasks: readonly Task[],
  { kind, id, dependsOn }: DependencyIssue,
  known: ReadonlySet<string>,
): readonly Task[] {
  const [holder] = parseTaskRefs(id) as [TaskRef];
  const parent = holder.subtask === undefined ? undefined : holder.task;
  return updateItemAt(tasks, holder, (item) => {
    const dependencies =
      kind === 'duplicate'
        ? [...new Set(item.dependencies)]
        : item.dependencies.filter((dependency) =>
            kind === 'missing'
              ? `${dependency}` !== dependsOn
              : resolveDependency(known, dependency, parent) !== dependsOn,
          );
    return { ...item, dependencies };
  });
}

/** Ids as people write them, ranges of whole tasks ("7-10") among them. */
function knownRefs(ids: string, tasks: readonly Task[], tag: string, field = 'id'): TaskRef[] {
  const refs = parseTaskRefs(withRanges(ids, field), field);
  for (const ref of refs) {
    const task = requireTask({ tasks }, tag, ref);
    if (ref.subtask !== undefined) requireSubtask(task, tag, ref);
  }
  return [...new Map(refs.map((ref) => [formatTaskRef(ref), ref])).values()];
}

/** Each pair is a search over all dependencies: more of them would block the event loop. */
const MOST_PAIRS = 500;
const MOST_IDS = 2_000;

function refuseTooManyPairs(pairs: number): void {
  if (pairs <= MOST_PAIRS) return;
  throw new BatonError(
    'limit_size',
    `That would be ${pairs} dependencies at once; ${MOST_PAIRS} are allowed. Name fewer in one call.`,
    { limit: MOST_PAIRS },
  );
}

function withRanges(ids: string, field: string): string {
  let named = 0;
  return ids
    .split(',')
    .map((part) => {
      const [, from, to] = /^\s*(\d{1,10})\s*-\s*(\d{1,10})\s*$/.exec(part) ?? [];
      if (from === undefined) return part;
      const [first, last] = [Number(from), Number(to)];
      if (last < first) return part;
      named += last - first + 1;
      if (named > MOST_IDS) throw tooManyIdsError(field, named, MOST_IDS);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at).join(',');
    })
    .join(',');
}

function tooMany(id: string): BatonError {
  return new BatonError('limit_size', `${id} already has ${TASK_LIMITS.dependencies} dependencies.`, {
    limit: TASK_LIMITS.dependencies,
  });
}
