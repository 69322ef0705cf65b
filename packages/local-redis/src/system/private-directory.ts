import { chmod, mkdir, stat } from 'node:fs/promises';

/** Makes sure that `dir` exists and that its owner alone may enter: the socket and the data in it have no password. */
export async function ensurePrivateDirectory(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // mkdir leaves the mode of a directory that was there already.
  if (((await stat(dir)).mode & 0o077) !== 0) await chmod(dir, 0o700);
  return dir;
}
