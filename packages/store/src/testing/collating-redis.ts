import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { ioredisUrl } from './store-fixture.ts';

const run = promisify(execFile);

/** A locale whose order of letters is not that of their bytes: `a` stands before `B`. */
const LOCALE = 'en_US.UTF-8';

const HOW_TO_INSTALL =
  `this test needs a Redis that runs in ${LOCALE}: install the sources of locales (Debian and Ubuntu: apt-get install locales; ` +
  'Fedora: dnf install glibc-locale-source), from which it makes its own with localedef, or install the locale itself';

/**
 * A Redis whose scripts compare strings as the locale does (`strcoll`), and a folder of locales that it was started with.
 * Errors: with what to install, where the machine has no such locale and cannot make it.
 */
export async function startCollatingRedis(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-locales-'));
  const installed = (await run('locale', ['-a']).catch(() => ({ stdout: '' }))).stdout;
  const isInstalled = /^en_US\.utf-?8$/im.test(installed);
  if (!isInstalled)
    await run('localedef', ['-i', 'en_US', '-f', 'UTF-8', join(folder, LOCALE)]).catch((error: unknown) => {
      throw new Error(HOW_TO_INSTALL, { cause: error });
    });
  const env = { LC_ALL: LOCALE, ...(isInstalled ? {} : { LOCPATH: folder }) };
  const server = await startPrivateRedis({ env });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const redis = new Redis(ioredisUrl(server.url));
  const collates = await redis.eval("return 'a' < 'B' and 1 or 0", 0);
  redis.disconnect();
  if (collates === 1) return { url: server.url, stop };
  await stop();
  throw new Error(HOW_TO_INSTALL);
}
