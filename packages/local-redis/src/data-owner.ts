import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverState } from './server-state.ts';

/** Watching a file for its removal is not reliable on every file system. */
const RETRY_MS = 50;
const HEARTBEAT_MS = 1_000;
/** Without a heartbeat for so long, and without a server that answers, an owner is taken for gone. */
const ABANDONED_MS = 10_000;
/** The watcher of a server whose process was killed ends it after 5 s. */
const ORPHAN_MS = 7_000;

/** Who runs the server of a data directory, as `owner.json` in it says. */
interface Owner {
  readonly pid: number;
  /** A pid means nothing on another machine, or in another container, that shares the directory. */
  readonly host: string;
  /** Tells two claims of one process, or of one process number, apart. */
  readonly token: string;
  /** While its server runs; none while it starts or stops. */
  readonly url?: string;
}

/** The directory is this process's alone until `release`. */
export interface DataClaim {
  /** Says where the server answers, for those who come later; undefined before it is stopped. */
  readonly tell: (url: string | undefined) => Promise<void>;
  readonly release: () => Promise<void>;
}

/** The claims that this process has made. */
const ownTokens = new Set<string>();

/**
 * The claim on a data directory, or the URL of the server that a living process runs on it: two servers on one append-only file would spoil
 * it. Waits while the owner starts or stops its server. The data is taken over from an owner that was killed, once its server is gone, and
 * from one that shows no sign of life for 10 s.
 */
export async function claimData(
  dir: string,
  say: (line: string) => void,
): Promise<DataClaim | { readonly url: string }> {
  const file = join(dir, 'owner.json');
  const mine: Owner = { pid: process.pid, host: hostname(), token: randomUUID() };
  ownTokens.add(mine.token);
  const since = Date.now();
  for (let told = false; !(await createOwner(file, mine)); await delay(RETRY_MS)) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const owner = parseOwner(text);
    const url = owner?.url;
    const answers = url !== undefined && (await serverState(url)) !== undefined;
    if (owner !== undefined && isGone(owner)) {
      // A container outlives its owner, and is replaced; another server is about to end.
      if (!answers || !url.startsWith('unix:')) await takeAway(file, text);
      else if (Date.now() - since > ORPHAN_MS) return { url };
    } else if (answers) return { url };
    else if (await isSilent(file)) await takeAway(file, text);
    if (!told) say(`Waiting for another process that starts or stops the Redis of ${file}`);
    told = true;
  }
  const isMine = async () => (await readFile(file, 'utf8').catch(() => '')).includes(mine.token);
  const heartbeat = setInterval(async () => {
    const now = new Date();
    if (await isMine()) await utimes(file, now, now).catch(() => {});
  }, HEARTBEAT_MS).unref();
  return {
    tell: async (url) => {
      if (!(await isMine())) return;
      const temporary = `${file}.${randomUUID()}`;
      await writeFile(temporary, JSON.stringify({ ...mine, url }), { mode: 0o600 });
      await rename(temporary, file);
    },
    release: async () => {
      clearInterval(heartbeat);
      if (await isMine()) await rm(file, { force: true });
    },
  };
}

/** False where there is one. It is seen whole or not at all. */
async function createOwner(file: string, owner: Owner): Promise<boolean> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(owner), { mode: 0o600 });
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Undefined for what a loss of power left. */
function parseOwner(text: string): Owner | undefined {
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return undefined;
  }
}

/** Removes the file if it still says what was seen; a claim that another process has made meanwhile goes back. */
async function takeAway(file: string, seen: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== seen) await link(aside, file);
  } catch {
    // Another process was faster.
  } finally {
    await rm(aside, { force: true });
  }
}

/** Whether the owner is known to have ended. */
function isGone({ pid, host, token }: Owner): boolean {
  if (host !== hostname()) return false;
  // In a container that was started again, this process may have the number of the one before it.
  if (pid === process.pid) return !ownTokens.has(token);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // EPERM: it is there and another user's.
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function isSilent(file: string): Promise<boolean> {
  const touched = await stat(file).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs > ABANDONED_MS;
}
