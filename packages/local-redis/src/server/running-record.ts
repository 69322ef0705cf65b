import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalRedis } from '../sources/local-redis.ts';
import { hasExited, isLockOwner, type LockOwner, currentProcess } from '../system/lock-owner.ts';
import { isAnswering } from '../client/ping.ts';
import { removeLeftoverSocketDir } from './socket-path.ts';

/** The watcher of an orphaned server kills it after 5 s. */
const ORPHAN_MS = 7000;

/** Says in the data directory which server runs on it, for the processes that come later. */
interface RunningRecord extends LockOwner {
  readonly url: string;
}

/** Before the path of a socket, none of whose characters is encoded. */
const UNIX = 'unix://';

const fileIn = (dir: string): string => join(dir, 'running.json');

/**
 * Records a server of ours, and resolves with what takes the record back: only our own, as another process may have
 * taken over from a server that crashed. Like all here it is to be called with the start lock held. The file holds the
 * password of a server in Docker: 0600.
 */
export async function writeRunningRecord(dir: string, url: string): Promise<() => Promise<void>> {
  const token = randomUUID();
  const record: RunningRecord & { token: string } = { url, ...currentProcess(), token };
  const temporary = `${fileIn(dir)}.${token}`;
  await writeFile(temporary, JSON.stringify(record), { mode: 0o600 });
  await rename(temporary, fileIn(dir));
  return async () => {
    const now = await readFile(fileIn(dir), 'utf8').catch(() => '');
    if (now.includes(token)) await forget(dir);
  };
}

/**
 * The server that another process runs on `dir`, if it answers and will go on doing so; ending it is left to its
 * owner. What an owner that is gone left is waited out and cleared away instead.
 */
export async function joinRunningServer(dir: string): Promise<LocalRedis | undefined> {
  const record = await read(dir);
  if (!record) return undefined;
  const { url } = record;
  if (!hasExited(record) && (await isAnswering(url))) return { url, source: 'joined', stop: async () => {} };

  if (url.startsWith(UNIX)) {
    const deadline = Date.now() + ORPHAN_MS;
    while (await isAnswering(url)) {
      if (Date.now() > deadline) return { url, source: 'joined', stop: async () => {} };
      await delay(50);
    }
    await removeLeftoverSocketDir(url.slice(UNIX.length), dir);
  }
  await forget(dir);
  return undefined;
}

async function forget(dir: string): Promise<void> {
  await rm(fileIn(dir), { force: true });
}

async function read(dir: string): Promise<RunningRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(fileIn(dir), 'utf8'));
    if (isLockOwner(record) && 'url' in record && typeof record.url === 'string')
      return { ...record, url: record.url };
  } catch {
    // None, or one that a crash cut short: the same as none.
  }
  return undefined;
}
