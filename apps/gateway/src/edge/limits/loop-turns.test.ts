import { expect, test } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

test('Each piece of work has an iteration of the loop, and owners take turns', async () => {
  const turns = new LoopTurns();
  let iteration = 0;
  const count = () => {
    iteration++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const run: { name: string; in: number }[] = [];
  await new Promise<void>((resolve) => {
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
      turns.enter(name.charAt(0), () => {
        run.push({ name, in: iteration });
        if (run.length === 6) resolve();
      });
  });
  clearImmediate(counting);
  expect(run.map(({ name }) => name)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(new Set(run.map((one) => one.in)).size).toBe(6);
});
