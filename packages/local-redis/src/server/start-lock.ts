import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasExited, isLockOwner, currentProcess } from '../system/lock-owner.ts';

const HEARTBEAT_MS = 1000;
const ABANDONED_MS = 10_000;
const RETRY_MS = 50;

/**
 * Runs `work` while no other process starts or stops the server of `dir`: two servers on one append-only file would
 * spoil it, and a server that is stopping must not be joined. Waits as long as the holder shows signs of life; a lock
 * whose process is gone, or that was not touched for 10 s, is taken over.
 */
export async function withStartLock<T>(
  dir: string,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(dir, 'start.lock');
  const mine = JSON.stringify({ ...currentProcess(), token: randomUUID() });
  for (let told = false; !(await tryCreateLock(path, mine)); ) {
    if (await removeIfAbandoned(path)) continue;
    if (!told) say(`Waiting for another process that starts or stops the Redis in ${dir}`);
    told = true;
    await delay(RETRY_MS); // Watching a file for its removal is not reliable on every file system.
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {}); // The directory may be removed under us.
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await readLock(path)) === mine) await rm(path, { force: true });
  }
}

async function tryCreateLock(path: string, mine: string): Promise<boolean> {
  try {
    await writeFile(path, mine, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === 'ENOENT') return true; // The directory was removed: there is nothing left to contend for.
    throw error;
  }
}

/** Removes the lock if it is abandoned; true when it is worth trying again at once. */
async function removeIfAbandoned(path: string): Promise<boolean> {
  const seen = await readLock(path);
  if (seen === undefined) return true;
  if (!(await isAbandoned(path, seen))) return false;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    // Another process may have taken it over since we looked; then what we moved is a live lock, and goes back.
    if ((await readLock(aside)) !== seen) await link(aside, path);
  } catch {
    // It was taken away, or taken anew, before us.
  } finally {
    await rm(aside, { force: true });
  }
  return true;
}

async function isAbandoned(path: string, seen: string): Promise<boolean> {
  try {
    const owner: unknown = JSON.parse(seen);
    if (isLockOwner(owner) && hasExited(owner)) return true;
  } catch {
    // Read between its creation and its writing.
  }
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch {
    return false;
  }
}

async function readLock(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
