import type { Graph } from './dependency-graph.ts';

/** A shortest path along dependencies, both ends included; undefined when there is none. */
export function shortestDependencyPath(graph: Graph, from: string, to: string): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at] as string;
    if (node === to) return walkBack(cameFrom, to);
    for (const next of graph.get(node) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function walkBack(cameFrom: ReadonlyMap<string, string | undefined>, to: string): string[] {
  const chain: string[] = [];
  for (let node: string | undefined = to; node !== undefined; node = cameFrom.get(node)) chain.unshift(node);
  return chain;
}
