import { readdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BinaryLink } from './link.ts';
import type { Miss, Search } from './search.ts';
import { probeServer, type ServerBinary } from './server-binary.ts';
import { type System, thisSystem } from './system.ts';

/** A server that was fetched earlier, for this system: a home directory may be shared by several. */
export const cached: BinaryLink = {
  gives: 'binary',
  name: 'a server fetched earlier',
  async find(search) {
    const dir = unpackedDir(search.cacheDir, await thisSystem());
    return (await isDirectory(dir))
      ? unpackedServer(dir, search, 'cache')
      : { missing: `there is no ${dir}` };
  },
};

/** Where this system's packages are unpacked to. */
export function unpackedDir(cacheDir: string, { families, version, arch }: System): string {
  return join(cacheDir, ['redis', families[0] ?? 'unknown', version, arch].join('-'));
}

/** The server in a directory of unpacked packages, with their libraries ahead of the system's. */
export async function unpackedServer(
  dir: string,
  { env }: Search,
  source: 'cache' | 'packages',
): Promise<ServerBinary | Miss> {
  const libraries = await libraryDirs(dir);
  const inherited = env['LD_LIBRARY_PATH'];
  const path = [...libraries, ...(inherited ? [inherited] : [])].join(delimiter);
  return probeServer(join(dir, 'redis-server'), { ...env, LD_LIBRARY_PATH: path }, source);
}

async function libraryDirs(dir: string): Promise<string[]> {
  const dirs = new Set<string>();
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (/\.so(\.|$)/.test(entry.name)) dirs.add(entry.parentPath);
  }
  return [...dirs];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
