import type { Graph } from './dependency-graph.ts';

/** An edge of a graph. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * The edges that a depth-first search in the graph's order finds to lead back: without them no cycle is left. Linear, with an
 * explicit stack, so that a path of ten thousand tasks does not overflow the call stack.
 */
export function findBackEdges(graph: Graph): Edge[] {
  const found: Edge[] = [];
  const state = new Map<string, 'open' | 'closed'>();
  for (const start of graph.keys()) {
    if (state.has(start)) continue;
    state.set(start, 'open');
    const path = [{ node: start, next: 0 }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = graph.get(top.node)?.[top.next++];
      if (to === undefined) {
        state.set(top.node, 'closed');
        path.pop();
      } else if (state.get(to) === 'open') {
        found.push({ from: top.node, to });
      } else if (!state.has(to)) {
        state.set(to, 'open');
        path.push({ node: to, next: 0 });
      }
    }
  }
  return found;
}
