import { findCycles } from './dependency-graph.ts';
import type { Dependency } from '../model/task-id.ts';

/** The positions of the new tasks that have each id, in order: computed once per answer. */
export function positionsById(
  given: readonly { readonly id: number }[],
): ReadonlyMap<Dependency, readonly number[]> {
  const carriers = new Map<Dependency, number[]>();
  for (const [position, { id }] of given.entries()) {
    const others = carriers.get(id);
    if (others) others.push(position);
    else carriers.set(id, [position]);
  }
  return carriers;
}

/**
 * The position of the new task that a dependency refers to, undefined when none has that id. When several have it, the
 * nearest before the dependent task, else the nearest after it, else the task itself; callers drop dependencies on itself.
 */
export function resolveToNewItemPosition(
  dependency: Dependency,
  position: number,
  carriers: ReadonlyMap<Dependency, readonly number[]>,
): number | undefined {
  const positions = carriers.get(dependency);
  if (positions === undefined) return undefined;
  let low = 0;
  for (let high = positions.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  if (low > 0) return positions[low - 1];
  return positions[0] === position ? (positions[1] ?? position) : positions[0];
}

/**
 * Breaks cycles among new tasks: within a cycle, dependencies on later tasks are dropped and those on earlier ones kept.
 * Deterministic for an answer, whatever its order; dependencies outside of cycles are kept.
 */
export function breakCyclesAmongNewItems<
  T extends { readonly id: number; readonly dependencies: readonly Dependency[] },
>(tasks: readonly T[]): T[] {
  // A task of the tag never depends on a new one, so that no ring leaves the new tasks.
  const own = new Set(tasks.map(({ id }) => id));
  const among = (other: Dependency): other is number => own.has(other as number);
  const graph = new Map(tasks.map(({ id, dependencies }) => [id, dependencies.filter(among)]));
  const ringOf = new Map<Dependency, readonly number[]>();
  for (const ring of findCycles(graph)) for (const id of ring) ringOf.set(id, ring);
  return tasks.map((task) => {
    const ring = ringOf.get(task.id);
    if (ring === undefined) return task;
    const stays = (other: Dependency) => ringOf.get(other) !== ring || Number(other) < task.id;
    return { ...task, dependencies: task.dependencies.filter(stays) };
  });
}
