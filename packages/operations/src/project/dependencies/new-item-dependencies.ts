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

interface NewItem {
  readonly id: number;
  readonly dependencies: readonly Dependency[];
}

/**
 * New items with what an answer lets each depend on. `meaning` gives the dependency to write for one of the answer's, undefined where there
 * is none; those, and what an item would be to itself, are left out and told, as "5 → 3" with `prefix` before the new ids. Within a cycle
 * dependencies on later items are left out and those on earlier ones kept: deterministic for an answer, whatever its order.
 */
export function linkNewItems<T extends NewItem>(
  items: readonly T[],
  given: readonly { readonly dependencies?: readonly Dependency[] | undefined }[],
  meaning: (dependency: Dependency, position: number) => Dependency | undefined,
  prefix = '',
): { readonly linked: readonly T[]; readonly dependenciesIgnored: readonly string[] } {
  const ignored: string[] = [];
  const linked = items.map((item, position) => {
    const meant = new Set<Dependency>();
    for (const dependency of given[position]?.dependencies ?? []) {
      const means = meaning(dependency, position);
      if (means === undefined || means === item.id) ignored.push(`${prefix}${item.id} → ${dependency}`);
      else meant.add(means);
    }
    return { ...item, dependencies: [...meant] };
  });
  const laterInRing = findLaterInRing(linked);
  return {
    linked: linked.map((item) => {
      const isKept = (other: Dependency) => !laterInRing(item, other);
      const dependencies = item.dependencies.filter(isKept);
      if (dependencies.length === item.dependencies.length) return item;
      for (const other of item.dependencies)
        if (!isKept(other)) ignored.push(`${prefix}${item.id} → ${prefix}${other}`);
      return { ...item, dependencies };
    }),
    dependenciesIgnored: ignored,
  };
}

/** Whether a dependency leads to a later new item with which the item forms a cycle. Others never depend on a new one, so that no ring leaves these. */
function findLaterInRing(items: readonly NewItem[]): (item: NewItem, other: Dependency) => boolean {
  const own = new Set(items.map(({ id }) => id));
  const among = (other: Dependency): other is number => own.has(other as number);
  const graph = new Map(items.map(({ id, dependencies }) => [id, dependencies.filter(among)]));
  const ringOf = new Map<Dependency, readonly number[]>();
  for (const ring of findCycles(graph)) for (const id of ring) ringOf.set(id, ring);
  return ({ id }, other) => {
    const ring = ringOf.get(id);
    return ring !== undefined && ringOf.get(other) === ring && Number(other) >= id;
  };
}
