import { expect, test } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

/** A promise and what resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('the work of one key runs one after the other in the order of the calls, that of another key beside it', async () => {
  const mutex = new KeyedMutex();
  const first = gate();
  const done: string[] = [];
  const lengths: number[] = [];
  const work = (name: string, until?: Promise<void>) =>
    mutex.hold(name[0]!, async (line) => {
      await until;
      lengths.push(line.length);
      done.push(name);
    });
  const all = [work('a1', first.opened), work('a2'), work('a3')];
  await work('b1');
  expect(done).toEqual(['b1']);
  first.open();
  await Promise.all(all);
  expect(done).toEqual(['b1', 'a1', 'a2', 'a3']);
  expect(lengths).toEqual([1, 3, 2, 1]);
});

test('what throws lets the next begin, and what is left is for one who waits already', async () => {
  const mutex = new KeyedMutex();
  const first = gate();
  const left = { n: 1 };
  const throwing = mutex.hold('a', async (line) => {
    await first.opened;
    line.left = left;
    throw new Error('broken');
  });
  const next = mutex.hold('a', async (line) => line.left);
  first.open();
  await expect(throwing).rejects.toThrow('broken');
  expect(await next).toBe(left);
  expect(await mutex.hold('a', async (line) => line.left)).toBeUndefined();
});
