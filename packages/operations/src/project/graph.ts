import type { Dependency } from './task-id.ts';
import type { Task } from './task.ts';

/**
 * Who depends on whom within a tag, tasks and subtasks alike, by their outside ids ("5", "5.2"). A dependency that
 * names nothing of the tag has no edge.
 */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One dependency as it stands, and the outside id of what it means; undefined when it names nothing. */
export interface Link {
  readonly from: string;
  readonly dependency: Dependency;
  readonly to: string | undefined;
}

/** What a dependency of a task, or of a subtask of `parent`, means: see `subtask`. */
export function resolveDependency(
  known: ReadonlySet<string>,
  dependency: Dependency,
  parent?: number,
): string | undefined {
  const sibling = `${parent}.${dependency}`;
  if (parent !== undefined && typeof dependency === 'number' && known.has(sibling)) return sibling;
  return known.has(String(dependency)) ? String(dependency) : undefined;
}

export function knownIds(tasks: readonly Task[]): Set<string> {
  return new Set(
    tasks.flatMap((task) => [`${task.id}`, ...task.subtasks.map(({ id }) => `${task.id}.${id}`)]),
  );
}

/** Every dependency of a tag's tasks and subtasks, in their order. */
export function linksOf(tasks: readonly Task[]): Link[] {
  const known = knownIds(tasks);
  return tasks.flatMap((task) => [
    ...task.dependencies.map((dependency) => ({
      from: `${task.id}`,
      dependency,
      to: resolveDependency(known, dependency),
    })),
    ...task.subtasks.flatMap((subtask) =>
      subtask.dependencies.map((dependency) => ({
        from: `${task.id}.${subtask.id}`,
        dependency,
        to: resolveDependency(known, dependency, task.id),
      })),
    ),
  ]);
}

export function graphOf(links: readonly Link[]): Graph {
  const graph = new Map<string, string[]>();
  for (const { from, to } of links) {
    if (to === undefined) continue;
    const edges = graph.get(from);
    if (edges) edges.push(to);
    else graph.set(from, [to]);
  }
  return graph;
}

/**
 * The groups of nodes that depend on each other in a ring, each node in at most one (strongly connected components
 * of more than one node, or of one that depends on itself). Tarjan's algorithm on an explicit path: linear, and a
 * chain of ten thousand tasks must not overflow the call stack.
 */
export function ringsOf(graph: Graph): string[][] {
  const rings: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: { readonly node: string; next: number }[] = [];
  const open: string[] = [];
  const isOpen = new Set<string>();

  const enter = (node: string) => {
    lowest.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
    isOpen.add(node);
    path.push({ node, next: 0 });
  };
  const lower = (node: string, to: number | undefined) => {
    lowest.set(node, Math.min(lowest.get(node) ?? 0, to ?? 0));
  };
  const close = (node: string) => {
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) isOpen.delete(member);
    if (members.length > 1 || graph.get(node)?.includes(node)) rings.push(members);
  };

  for (const start of graph.keys()) {
    if (!order.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node } = top;
      const to = graph.get(node)?.[top.next++];
      if (to !== undefined && !order.has(to)) {
        enter(to);
      } else if (to !== undefined) {
        if (isOpen.has(to)) lower(node, order.get(to));
      } else {
        path.pop();
        const before = path.at(-1);
        if (before) lower(before.node, lowest.get(node));
        if (lowest.get(node) === order.get(node)) close(node);
      }
    }
  }
  return rings;
}
