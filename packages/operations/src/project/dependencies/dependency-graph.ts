import type { Dependency } from '../model/task-id.ts';
import type { Task } from '../model/task.ts';

/**
 * The dependencies within a tag: from each task and subtask ("5", "5.2") to those that it depends on. A dependency that
 * does not exist in the tag has no edge.
 */
export type Graph<Node = string> = ReadonlyMap<Node, readonly Node[]>;

/** One dependency as it is written, and the id that it resolves to; `to` is undefined when that does not exist. */
export interface DependencyLink {
  readonly from: string;
  readonly dependency: Dependency;
  readonly to: string | undefined;
}

/** The id that a dependency of a task, or of a subtask of `parent`, resolves to: see `subtask` for the rule. */
export function resolveDependency(
  known: ReadonlySet<string>,
  dependency: Dependency,
  parent?: number,
): string | undefined {
  const sibling = `${parent}.${dependency}`;
  if (parent !== undefined && typeof dependency === 'number' && known.has(sibling)) return sibling;
  return known.has(String(dependency)) ? String(dependency) : undefined;
}

export function allItemIds(tasks: readonly Task[]): Set<string> {
  return new Set(
    tasks.flatMap((task) => [`${task.id}`, ...task.subtasks.map(({ id }) => `${task.id}.${id}`)]),
  );
}

/** Every dependency of a tag's tasks and subtasks, in their order. */
export function dependencyLinks(tasks: readonly Task[]): DependencyLink[] {
  const known = allItemIds(tasks);
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

export function buildGraph(links: readonly DependencyLink[]): Graph {
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
 * The groups of nodes that depend on each other in a cycle, each node in at most one (strongly connected components
 * of more than one node, or of one that depends on itself). Tarjan's algorithm with an explicit stack: linear, and a
 * path of ten thousand tasks does not overflow the call stack.
 */
export function findCycles<Node>(graph: Graph<Node>): Node[][] {
  const rings: Node[][] = [];
  const visits = new Map<Node, Visit<Node>>();
  const path: Visit<Node>[] = [];
  const open: Visit<Node>[] = [];

  const enter = (node: Node) => {
    const order = visits.size;
    const visit = { node, edges: graph.get(node) ?? [], next: 0, order, lowest: order, isOpen: true };
    visits.set(node, visit);
    open.push(visit);
    path.push(visit);
  };
  const close = (visit: Visit<Node>) => {
    const members = open.splice(open.lastIndexOf(visit));
    for (const member of members) member.isOpen = false;
    if (members.length > 1 || visit.edges.includes(visit.node)) rings.push(members.map(({ node }) => node));
  };

  for (const start of graph.keys()) {
    if (!visits.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      if (top.next < top.edges.length) {
        const to = top.edges[top.next++] as Node;
        const there = visits.get(to);
        if (there === undefined) enter(to);
        else if (there.isOpen) top.lowest = Math.min(top.lowest, there.order);
      } else {
        path.pop();
        const before = path.at(-1);
        if (before) before.lowest = Math.min(before.lowest, top.lowest);
        if (top.lowest === top.order) close(top);
      }
    }
  }
  return rings;
}

/** The search's state at a node. */
interface Visit<Node> {
  readonly node: Node;
  readonly edges: readonly Node[];
  next: number;
  readonly order: number;
  lowest: number;
  /** Whether a cycle through it may still be found. */
  isOpen: boolean;
}
