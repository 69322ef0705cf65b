import { spawnSync } from 'node:child_process';
import { chown, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type TestContext, test } from 'vitest';
import { packageCacheDir } from './cached-binary.ts';
import { runInChildProcess } from '../testing/child-process.ts';
import { distributionPackages } from './distribution-packages.ts';
import { parsePlannedPackages } from './apt-download.ts';
import { resolveSearchOptions } from './search-options.ts';
import type { ServerBinary } from './server-binary.ts';
import { isDebianLike, currentSystem } from '../system/operating-system.ts';
import { createTemporaryDir } from '../testing/temporary-dir.ts';

const NOBODY = 65_534;
const patient = { timeout: 120_000 };

async function onlyOnDebian(ctx: TestContext): Promise<void> {
  const system = await currentSystem();
  if (!isDebianLike(system)) ctx.skip(`${system.prettyName} has no packages of Debian's`);
}

/** Who is not root: ourselves, or somebody else who can read this package. */
function someoneElse(ctx: TestContext): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const sources = dirname(fileURLToPath(import.meta.url));
  const args = ['-e', 'require("node:fs").readdirSync(process.argv[1])', sources];
  const { status } = spawnSync(process.execPath, args, { uid: NOBODY, gid: NOBODY });
  if (status !== 0) ctx.skip('only root can read this package here');
  return NOBODY;
}

test(
  'two who are not root fetch at once: both run a whole server, and nothing else is left',
  patient,
  async (ctx) => {
    await onlyOnDebian(ctx);
    const user = someoneElse(ctx);
    const home = await createTemporaryDir();
    if (user !== undefined) await chown(home, user, user);
    const cacheDir = join(home, 'cache');
    const fetchAndStart = `
    const { distributionPackages } = await file('sources/distribution-packages.ts');
    const { startPrivateServer } = await file('server/private-server.ts');
    const binary = await redis.findServerBinary({
      cacheDir: ${JSON.stringify(cacheDir)},
      sources: [distributionPackages],
    });
    const dir = await (await file('system/private-directory.ts')).ensurePrivateDirectory(${JSON.stringify(home)} + '/' + process.pid);
    const server = await startPrivateServer(binary, { dir, listen: 'unix' });
    await server.stop();
    print(binary);
  `;
    const environment = { ...process.env, HOME: home };
    const who = { environment, ...(user === undefined ? {} : { user }) };
    const both = [runInChildProcess(fetchAndStart, who), runInChildProcess(fetchAndStart, who)];
    const found = (await Promise.all(both.map(({ next }) => next()))) as ServerBinary[];
    const place = packageCacheDir(cacheDir, await currentSystem());
    expect(found.map(({ command }) => command)).toEqual([
      join(place, 'redis-server'),
      join(place, 'redis-server'),
    ]);
    expect(await readdir(cacheDir)).toEqual([place.slice(cacheDir.length + 1)]);
  },
);

test('what is in the cache and does not run is replaced', patient, async (ctx) => {
  await onlyOnDebian(ctx);
  const cacheDir = await createTemporaryDir();
  const place = packageCacheDir(cacheDir, await currentSystem());
  await mkdir(place);
  await symlink('/bin/false', join(place, 'redis-server'));
  const said: string[] = [];
  const found = await distributionPackages.find(
    resolveSearchOptions({ cacheDir, onProgress: (line) => said.push(line) }),
  );
  expect(found).toMatchObject({
    command: join(place, 'redis-server'),
    source: 'packages',
    name: 'redis-server',
  });
  expect(await readdir(cacheDir)).toEqual([place.slice(cacheDir.length + 1)]);
  expect(said).toEqual([expect.stringContaining(`into ${place}`)]);
});

test('without a network the cause is reported, and nothing half-done is left', patient, async (ctx) => {
  await onlyOnDebian(ctx);
  const cacheDir = await createTemporaryDir();
  const proxy = 'http://127.0.0.1:1';
  const env = { ...process.env, http_proxy: proxy, https_proxy: proxy };
  const found = await distributionPackages.find(resolveSearchOptions({ cacheDir, env }));
  expect(found).toEqual({ missing: expect.stringMatching(/download|fetch|connect/i) });
  expect(await readdir(cacheDir)).toEqual([]);
});

test('a cache directory that cannot be made is a reason, not a crash', async (ctx) => {
  await onlyOnDebian(ctx);
  expect(await distributionPackages.find(resolveSearchOptions({ cacheDir: '/dev/null/cache' }))).toEqual({
    missing: expect.stringContaining('/dev/null/cache'),
  });
});

test('what a simulated installation would bring is read from its output', () => {
  const simulation = [
    'Reading package lists...',
    'Inst libjemalloc2 (5.3.0-1 Debian:12 [amd64])',
    'Inst libssl3 [3.0.1] (3.0.2 Debian:12 [amd64])',
    'Conf libjemalloc2 (5.3.0-1 Debian:12 [amd64])',
  ];
  expect(parsePlannedPackages(simulation.join('\n'))).toEqual(['libjemalloc2', 'libssl3']);
});
