import { BatonError } from '@baton/protocol';
import type { Graph } from './dependency-graph.ts';

/** A shortest path along dependencies, both ends included; undefined when there is none. */
export function shortestPath(graph: Graph, from: string, to: string): string[] | undefined {
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

const MOST_SHOWN = 20;

/** `dependency_cycle` for a dependency that would close a cycle: `chain` begins and ends with the same id. */
export function dependencyCycleError(chain: readonly string[]): BatonError {
  const shown =
    chain.length <= MOST_SHOWN
      ? chain.join(' → ')
      : `${chain.slice(0, MOST_SHOWN - 1).join(' → ')} → … → ${chain.at(-1)}`;
  const what = chain.length <= 2 ? 'would depend on itself' : 'would wait for each other';
  return new BatonError(
    'dependency_cycle',
    `${shown}: ${chain.length <= 2 ? chain[0] : 'these'} ${what}. Nothing was changed.`,
    { chain: [...chain] },
  );
}
