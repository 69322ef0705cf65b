import fc from 'fast-check';
import { expect, it } from 'vitest';
import { projectWithTasks } from '../../testing/run-operation-in-memory.ts';
import type { Task } from '../model/task.ts';
import { allItemIds, existingItems, findCycles } from './dependency-graph.ts';

const graph = (edges: readonly (readonly [number, number])[]) => {
  const nodes = new Map<string, string[]>();
  for (const [from, to] of edges) nodes.set(`${from}`, [...(nodes.get(`${from}`) ?? []), `${to}`]);
  return nodes;
};

/** What a ring is, said the slow way: two nodes that reach each other, or one that reaches itself. */
function reachable(edges: readonly (readonly [number, number])[]): Set<string> {
  const pairs = new Set(edges.map(([from, to]) => `${from}>${to}`));
  const nodes = [...new Set(edges.flat())];
  for (const via of nodes)
    for (const from of nodes)
      for (const to of nodes)
        if (pairs.has(`${from}>${via}`) && pairs.has(`${via}>${to}`)) pairs.add(`${from}>${to}`);
  return pairs;
}

it('finds exactly the nodes that reach each other, in any graph', { timeout: 60_000 }, () => {
  const node = fc.integer({ min: 1, max: 7 });
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 16 }), (edges) => {
      const pairs = reachable(edges);
      const rings = findCycles(graph(edges));
      const inRings = rings.flat().sort();
      const expected = [...new Set(edges.flat())].filter((at) => pairs.has(`${at}>${at}`)).map(String);
      expect(inRings).toEqual(expected.sort());
      for (const ring of rings)
        for (const a of ring) for (const b of ring) expect(pairs.has(`${a}>${b}`)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('does not overflow on a ring of a hundred thousand', { timeout: 60_000 }, () => {
  const edges = Array.from({ length: 100_000 }, (_, at): [number, number] => [at, (at + 1) % 100_000]);
  expect(findCycles(graph(edges))[0]).toHaveLength(100_000);
});

it('finds the items that exist, of few ids as of many, however they are written', () => {
  const { tasks } = projectWithTasks([{ id: 1 }, { id: 7, subtasks: [{ id: 2 }, { id: 10 }] }]).tags.get(
    'master',
  )!;
  const all = allItemIds(tasks);
  const id = fc.oneof(
    fc.integer({ min: -1, max: 8 }),
    fc.constantFrom<string[]>('1', '7', '7.2', '7.10', '7.1', '1.2', ' 7', '07', '7.', '7.02', 'seven', ''),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 40 }), (ids) => {
      expect(existingItems(tasks, ids)).toEqual(new Set(ids.map(String).filter((one) => all.has(one))));
    }),
    { examples: [[Array.from({ length: 40 }, () => '7.10')]] },
  );
});

it('goes through the subtasks of a task once for many ids', () => {
  let reads = 0;
  const subtask = (id: number) => ({
    get id() {
      reads++;
      return id;
    },
  });
  const task = { id: 1, subtasks: Array.from({ length: 1_000 }, (_, at) => subtask(at + 1)) };
  const ids = Array.from({ length: 1_400 }, () => '1.1000');
  expect(existingItems([task as unknown as Task], ids)).toEqual(new Set(['1.1000']));
  expect(reads).toBe(1_000);
});
