import { spawnSync } from 'node:child_process';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withStartLock } from './start-lock.ts';
import { createTemporaryDir } from '../testing/temporary-dir.ts';

const silent = (): void => {};

/** The number of a process that has ended and whose end was seen. */
const pidOfTheGone = (): number => spawnSync('/bin/sh', ['-c', 'exit']).pid;

test('never two hold the lock at once, however many call', async () => {
  const dir = await createTemporaryDir();
  let inside = 0;
  const most: number[] = [];
  const come = () =>
    withStartLock(dir, silent, async () => {
      most.push(++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, come));
  expect(most).toEqual(Array.from({ length: 8 }, () => 1));
  expect(await readdir(dir)).toEqual([]);
});

test('the lock of a process that is gone is taken over at once, by one of those who wait', async () => {
  const dir = await createTemporaryDir();
  await writeFile(join(dir, 'start.lock'), JSON.stringify({ pid: pidOfTheGone(), host: hostname() }));
  let inside = 0;
  const most: number[] = [];
  const come = () =>
    withStartLock(dir, silent, async () => {
      most.push(++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, come));
  expect(most).toEqual(Array.from({ length: 8 }, () => 1));
});

test('a lock of another machine is waited for, and taken over when it shows no sign of life', async () => {
  const dir = await createTemporaryDir();
  const path = join(dir, 'start.lock');
  await writeFile(path, JSON.stringify({ pid: 1, host: 'another-machine' }));
  // The wait is told of once; only then does the lock grow old.
  const grownOld = new Date(Date.now() - 60_000);
  let told = 0;
  const say = (): void => {
    told += 1;
    void utimes(path, grownOld, grownOld);
  };
  expect(await withStartLock(dir, say, async () => 'in')).toBe('in');
  expect(told).toBe(1);
});

test('work that throws gives the lock back', async () => {
  const dir = await createTemporaryDir();
  const work = withStartLock(dir, silent, () => Promise.reject(new Error('no')));
  await expect(work).rejects.toThrow('no');
  expect(await readdir(dir)).toEqual([]);
});

test('a directory that was removed does not keep anybody waiting', async () => {
  const dir = join(await createTemporaryDir(), 'removed');
  expect(await withStartLock(dir, silent, async () => 'in')).toBe('in');
});
