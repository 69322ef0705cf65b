import { type Dependency, formatTaskRef, parseTaskRef } from '../model/task-id.ts';
import { findTask, type Task } from '../model/task.ts';

/**
 * The dependencies within a tag: from each task and subtask ("5", "5.2") to those that it depends on. A dependency that
 * does not exist in the tag has no edge.
 */
export type Graph<Node = string> = ReadonlyMap<Node, readonly Node[]>;

/** One dependency as it is written, and the id that it resolves to; `to` is undefined when that does not exist. */
interface DependencyLink {
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
  if (parent !== undefined && typeof dependency === 'number') {
    const sibling = `${parent}.${dependency}`;
    if (known.has(sibling)) return sibling;
  }
  const id = String(dependency);
  return known.has(id) ? id : undefined;
}

/** Whether one is a task and the other a subtask of it. A task is done only with its subtasks: a dependency between the two is a cycle. */
export function areTaskAndSubtask(one: string, other: string): boolean {
  return other.startsWith(`${one}.`) || one.startsWith(`${other}.`);
}

/** The outside ids of all tasks and subtasks. Loops, here and below: a tag may have ten thousand tasks. */
export function allItemIds(tasks: readonly Task[]): Set<string> {
  const ids = new Set<string>();
  for (const { id, subtasks } of tasks) {
    ids.add(String(id));
    for (const subtask of subtasks) ids.add(`${id}.${subtask.id}`);
  }
  return ids;
}

/** To go through the subtasks of so many tasks costs no more than a set of the ids of thousands. */
const FEW_IDS = 32;

/** Which of some outside ids ("5", "5.2") exist. Of few ids no other task is looked at. */
export function existingItems(tasks: readonly Task[], ids: readonly Dependency[]): Set<string> {
  const texts = ids.map(String);
  if (ids.length <= FEW_IDS) return new Set(texts.filter((id) => exists(tasks, id)));
  const all = allItemIds(tasks);
  return new Set(texts.filter((id) => all.has(id)));
}

function exists(tasks: readonly Task[], id: string): boolean {
  const ref = parseTaskRef(id);
  if (ref === undefined || formatTaskRef(ref) !== id) return false;
  const task = findTask(tasks, ref.task);
  if (ref.subtask === undefined) return task !== undefined;
  return task?.subtasks.some((subtask) => subtask.id === ref.subtask) === true;
}

/** Every dependency of a tag's tasks and subtasks, in their order; `known`: the ids of all of them. */
export function dependencyLinks(
  tasks: readonly Task[],
  known: ReadonlySet<string> = allItemIds(tasks),
): DependencyLink[] {
  const links: DependencyLink[] = [];
  for (const { id, dependencies, subtasks } of tasks) {
    if (dependencies.length > 0) {
      const from = String(id);
      for (const dependency of dependencies)
        links.push({ from, dependency, to: resolveDependency(known, dependency) });
    }
    for (const subtask of subtasks) {
      if (subtask.dependencies.length === 0) continue;
      const from = `${id}.${subtask.id}`;
      for (const dependency of subtask.dependencies)
        links.push({ from, dependency, to: resolveDependency(known, dependency, id) });
    }
  }
  return links;
}

export function buildGraph(links: readonly DependencyLink[]): Map<string, readonly string[]> {
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
