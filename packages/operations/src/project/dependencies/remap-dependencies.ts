import { BatonError } from '@baton/protocol';
import { allItemIds, areTaskAndSubtask, resolveDependency } from './dependency-graph.ts';
import { type Dependency, parseTaskRef } from '../model/task-id.ts';
import type { Subtask, Task } from '../model/task.ts';

/** An edit that changes ids: the tasks after it, and the earlier ids of the items that were renamed. */
interface StructureEdit {
  readonly tasks: readonly Task[];
  /** New outside id → old one, for each item whose id changed. Whatever is missing afterwards was removed. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Rewrites every dependency after an edit of ids, so that it refers to the same item as before: a renamed item is
 * followed, a removed one is dropped. Needed since an integer within a subtask means a sibling or, failing that, a task:
 * without it the removal of a sibling would turn a dependency on it into one on a task of the same number.
 *
 * @throws BatonError `invalid_arguments` where a dependency could not be written down any more, or where a task would become a subtask of one that it depends on or that depends on it.
 */
export function remapDependencies(
  before: readonly Task[],
  { tasks, renamed }: StructureEdit,
): readonly Task[] {
  const knownBefore = allItemIds(before);
  const knownAfter = allItemIds(tasks);
  const nowCalled = new Map([...renamed].map(([now, then]) => [then, now]));
  const moved = (then: string): string | undefined => {
    const now = nowCalled.get(then);
    if (now !== undefined) return now;
    // An id that someone else has taken over by now says nothing of what had it before.
    return knownAfter.has(then) && !renamed.has(then) ? then : undefined;
  };
  const rewire = <T extends Task | Subtask>(item: T, id: string, parent?: number): T => {
    const { dependencies } = item;
    if (dependencies.length === 0) return item;
    const then = renamed.get(id);
    const parentThen = then === undefined ? parent : parentOf(then);
    const rewired: Dependency[] = [];
    for (const dependency of dependencies) {
      const meant = resolveDependency(knownBefore, dependency, parentThen);
      const target = meant === undefined ? undefined : moved(meant);
      if (target === undefined || target === id) continue;
      const [holder, needed] = [then ?? id, meant as string];
      if (areTaskAndSubtask(id, target) && !areTaskAndSubtask(holder, needed))
        throw partOfDependencyError(holder, needed, id);
      rewired.push(chooseDependencyForm(target, dependency, knownAfter, id, parent));
    }
    const same =
      rewired.length === dependencies.length && rewired.every((one, at) => one === dependencies[at]);
    return same ? item : { ...item, dependencies: rewired };
  };
  return tasks.map((task) => {
    let { subtasks } = task;
    for (const [at, subtask] of subtasks.entries()) {
      const rewired = rewire(subtask, `${task.id}.${subtask.id}`, task.id);
      if (rewired !== subtask) subtasks = subtasks.with(at, rewired);
    }
    return rewire(subtasks === task.subtasks ? task : { ...task, subtasks }, `${task.id}`);
  });
}

function partOfDependencyError(holder: string, target: string, id: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `${holder} depends on ${target}, and one cannot become a part of the other: a task is done only with its subtasks. ` +
      'Nothing was changed. Remove the dependency first (remove_dependency).',
    { field: 'dependencies', id },
  );
}

/** The task that the id of a subtask names; undefined for the id of a task. */
function parentOf(id: string): number | undefined {
  const ref = parseTaskRef(id);
  return ref?.subtask === undefined ? undefined : ref.task;
}

/**
 * How to write a dependency on `target` within `holder`: unchanged, if that still resolves to it.
 *
 * @throws BatonError `invalid_arguments` for a task whose number means a sibling there.
 */
export function chooseDependencyForm(
  target: string,
  standing: Dependency | undefined,
  known: ReadonlySet<string>,
  holder: string,
  parent: number | undefined,
): Dependency {
  if (standing !== undefined && resolveDependency(known, standing, parent) === target) return standing;
  const ref = parseTaskRef(target);
  const sibling = ref?.subtask !== undefined && ref.task === parent ? ref.subtask : undefined;
  const plain = ref?.subtask === undefined ? ref?.task : undefined;
  const candidates = [sibling, plain, ref?.subtask === undefined ? undefined : target];
  const written = candidates.find(
    (candidate) => candidate !== undefined && resolveDependency(known, candidate, parent) === target,
  );
  if (written !== undefined) return written;
  throw new BatonError(
    'invalid_arguments',
    `${holder} cannot depend on task ${target}, since beside it ${target} means its sibling ${parent}.${target}. ` +
      `Nothing was changed. Remove the dependency first (remove_dependency), or give ${parent}.${target} or task ${target} another number (move_task).`,
    { field: 'dependencies', id: holder },
  );
}
