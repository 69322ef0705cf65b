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
  const work = (name: string, until?: Promise<void>) =>
    mutex.hold(name[0]!, async () => {
      await until;
      done.push(name);
    });
  const all = [work('a1', first.opened), work('a2'), work('a3')];
  await work('b1');
  expect(done).toEqual(['b1']);
  first.open();
  await Promise.all(all);
  expect(done).toEqual(['b1', 'a1', 'a2', 'a3']);
});

test('what throws lets the next begin, with what it left', async () => {
  const mutex = new KeyedMutex();
  const first = gate();
  const left = { size: 1 };
  const throwing = mutex.hold('a', async (held) => {
    await first.opened;
    held.state = left;
    throw new Error('broken');
  });
  const next = mutex.hold('a', async (held) => held.state);
  first.open();
  await expect(throwing).rejects.toThrow('broken');
  expect(await next).toBe(left);
});

test('what is left is kept for one that comes later, not for another key, and not when it is too large', async () => {
  const mutex = new KeyedMutex();
  const leave = (key: string, size: number) =>
    mutex.hold(key, async (held) => {
      held.state = { size };
    });
  const find = (key: string) => mutex.hold(key, async (held) => held.state?.size);
  await leave('a', 1);
  expect([await find('b'), await find('a'), await find('a')]).toEqual([undefined, 1, 1]);
  await leave('a', 2 ** 24 + 1);
  expect(await find('a')).toBeUndefined();
  // As much as is kept in all: the one that was used least recently leaves.
  for (const key of ['x', 'y', 'z']) await leave(key, 2 ** 24);
  expect([await find('x'), await find('y'), await find('z')]).toEqual([undefined, 2 ** 24, 2 ** 24]);
});

test('what is forgotten is not found, by those in line neither, nor what is left by one who began before', async () => {
  const mutex = new KeyedMutex();
  const first = gate();
  const holding = mutex.hold('a', async (held) => {
    await first.opened;
    held.state = { size: 1 };
  });
  const next = mutex.hold('a', async (held) => held.state);
  await mutex.hold('b', async (held) => {
    held.state = { size: 1 };
  });
  // The holder has begun.
  await Promise.resolve();
  mutex.forget();
  first.open();
  await holding;
  expect([await next, await mutex.hold('b', async (held) => held.state)]).toEqual([undefined, undefined]);
});
