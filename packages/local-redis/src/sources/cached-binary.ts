import { readdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BinarySource } from './redis-source.ts';
import type { SourceMiss, SearchContext } from './search-options.ts';
import { probeServerBinary, type ServerBinary } from './server-binary.ts';
import { type OperatingSystem, currentSystem } from '../system/operating-system.ts';

/** A server that was fetched earlier, for this system: a home directory may be shared by several. */
export const cachedBinary: BinarySource = {
  provides: 'binary',
  name: 'a server fetched earlier',
  async find(search) {
    const dir = packageCacheDir(search.cacheDir, await currentSystem());
    return (await isDirectory(dir))
      ? probeUnpackedBinary(dir, search, 'cache')
      : { missing: `there is no ${dir}` };
  },
};

/** Where this system's packages are unpacked to. */
export function packageCacheDir(cacheDir: string, { families, version, arch }: OperatingSystem): string {
  return join(cacheDir, ['redis', families[0] ?? 'unknown', version, arch].join('-'));
}

/** The server in a directory of unpacked packages, with their libraries ahead of the system's. */
export async function probeUnpackedBinary(
  dir: string,
  { env }: SearchContext,
  source: 'cache' | 'packages',
): Promise<ServerBinary | SourceMiss> {
  const libraries = await libraryDirs(dir);
  const inherited = env['LD_LIBRARY_PATH'];
  const path = [...libraries, ...(inherited ? [inherited] : [])].join(delimiter);
  return probeServerBinary(join(dir, 'redis-server'), { ...env, LD_LIBRARY_PATH: path }, source);
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
