import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NAME = 'redis.sock';
/** sockaddr_un's sun_path, without the closing NUL. */
const LONGEST = process.platform === 'darwin' ? 103 : 107;

/** Where a server's socket goes. */
export interface SocketPath {
  readonly path: string;
  /** Removes the directory that was made for it, if one was. */
  readonly remove: () => Promise<void>;
}

/**
 * In `dir`, unless the path is too long for a socket address or holds characters that a URL would encode (clients
 * differ in whether they decode them); then in a new 0700 directory under the system's temporary one.
 */
export async function chooseSocketPath(dir: string): Promise<SocketPath> {
  const path = join(dir, NAME);
  if (Buffer.byteLength(path) <= LONGEST && new URL(`unix://${path}`).pathname === path) {
    // The server removes its socket when it ends and replaces one that a crash left; by then another server may have
    // taken over the directory, and the socket may be its own.
    return { path, remove: async () => {} };
  }
  const made = await mkdtemp(join(tmpdir(), 'baton-'));
  return { path: join(made, NAME), remove: () => rm(made, { recursive: true, force: true }) };
}

/** Removes the directory outside `dir` that was made for the socket of a server that crashed. */
export async function removeLeftoverSocketDir(socket: string, dir: string): Promise<void> {
  if (dirname(socket) === dir || !dirname(socket).startsWith(join(tmpdir(), 'baton-'))) return;
  await rm(dirname(socket), { recursive: true, force: true });
}
