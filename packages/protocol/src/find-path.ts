/** A shortest path along the edges, over one of them at least, with both ends; undefined where there is none. From a node to itself it is a cycle. */
export function findPath(
  edges: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  // Those that are found are visited too, in the order in which they were.
  for (const node of cameFrom.keys()) {
    for (const next of edges.get(node) ?? []) {
      if (next === to) return [...pathTo(cameFrom, node), to];
      if (!cameFrom.has(next)) cameFrom.set(next, node);
    }
  }
  return undefined;
}

function pathTo(cameFrom: ReadonlyMap<string, string | undefined>, end: string): string[] {
  const path: string[] = [];
  for (let node: string | undefined = end; node !== undefined; node = cameFrom.get(node)) path.unshift(node);
  return path;
}
