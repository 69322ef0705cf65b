/** The agents that each may call, by id. */
export type Groups = ReadonlyMap<string, readonly string[]>;

/** A way from `from` back to itself along the groups, with both ends; undefined where there is none. */
export function findGroupCycle(groups: Groups, from: string): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of cameFrom.keys()) {
    for (const next of groups.get(id) ?? []) {
      if (next === from) return [...wayTo(cameFrom, id), from];
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<string, string | undefined>, id: string): string[] {
  const way: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
