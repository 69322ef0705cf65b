import { randomUUID } from 'node:crypto';
import { access, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { packageCacheDir, probeUnpackedBinary } from './cached-binary.ts';
import type { BinarySource } from './redis-source.ts';
import { errorMessage } from '../system/error-message.ts';
import { downloadPackages } from './apt-download.ts';
import { ensurePrivateDirectory } from '../system/private-directory.ts';
import { runCommand } from '../system/run-command.ts';
import type { SourceMiss, SearchContext } from './search-options.ts';
import type { ServerBinary } from './server-binary.ts';
import { isDebianLike, currentSystem } from '../system/operating-system.ts';

/** Holds `redis-check-rdb`, which is the server itself: the program goes by the name that it is called by. */
const PACKAGE = 'redis-tools';
const PROGRAM = 'usr/bin/redis-check-rdb';

/** The distribution's own packages, unpacked into the cache directory without root. */
export const distributionPackages: BinarySource = {
  provides: 'binary',
  name: "the distribution's packages, unpacked without root",
  async find(search) {
    const system = await currentSystem();
    if (!isDebianLike(system))
      return { missing: `only on Debian and Ubuntu, and this is ${system.prettyName}` };
    const place = packageCacheDir(search.cacheDir, system);
    search.onProgress(
      `Fetching ${PACKAGE} from the packages of ${system.prettyName} into ${place} (once, about 10 MB)`,
    );
    let temporary: string | undefined;
    try {
      await ensurePrivateDirectory(search.cacheDir);
      temporary = await mkdtemp(join(search.cacheDir, 'fetching-'));
      const unpacked = await unpack(temporary, search);
      if ('missing' in unpacked) return unpacked;
      await moveIntoPlace(unpacked.dir, place, search);
      return await probeUnpackedBinary(place, search, 'packages');
    } catch (error) {
      return { missing: errorMessage(error) };
    } finally {
      if (temporary) await rm(temporary, { recursive: true, force: true });
    }
  },
};

async function unpack(temporary: string, search: SearchContext): Promise<{ dir: string } | SourceMiss> {
  const downloaded = await downloadPackages(PACKAGE, temporary, search.env);
  if ('missing' in downloaded) return downloaded;
  const dir = join(temporary, 'unpacked');
  for (const file of await readdir(downloaded.debs)) {
    if (!file.endsWith('.deb')) continue;
    const args = ['--extract', join(downloaded.debs, file), dir];
    const extracted = await runCommand('dpkg-deb', args, { env: search.env, limitMs: 60_000 });
    if (!extracted.ok) return { missing: extracted.reason };
  }
  await access(join(dir, PROGRAM));
  await symlink(PROGRAM, join(dir, 'redis-server'));
  const probed = await probeUnpackedBinary(dir, search, 'packages');
  return 'missing' in probed ? probed : { dir };
}

/**
 * Moves a finished directory to where it is looked for, so that nobody ever sees half of one. A process that was faster
 * is left its own, as others may run it already; what does not run (it was for an older system) makes way.
 */
async function moveIntoPlace(dir: string, place: string, search: SearchContext): Promise<void> {
  for (;;) {
    try {
      return await rename(dir, place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
    const there: ServerBinary | SourceMiss = await probeUnpackedBinary(place, search, 'packages');
    if (!('missing' in there)) return;
    const aside = join(search.cacheDir, `discarded-${randomUUID()}`);
    try {
      await rename(place, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await rm(aside, { recursive: true, force: true });
  }
}
