import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { findServerBinary } from '../find-server-binary.ts';
import { pathBinary } from './path-binary.ts';
import { resolveSearchOptions } from './search-options.ts';
import { createTemporaryDir } from '../testing/temporary-dir.ts';

const REDIS_7 = 'Redis server v=7.2.4 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=0';

async function program(name: string, says: string): Promise<string> {
  const dir = await createTemporaryDir();
  await writeFile(join(dir, name), `#!/bin/sh\necho '${says}'\n`);
  await chmod(join(dir, name), 0o755);
  return dir;
}

const findOn = (...dirs: string[]) =>
  pathBinary.find(resolveSearchOptions({ env: { PATH: dirs.join(delimiter) } }));

test.each(['redis-server', 'valkey-server'])('%s on PATH is found', async (name) => {
  const dir = await program(name, name === 'redis-server' ? REDIS_7 : 'Valkey server v=8.0.1 sha=0:0');
  expect(await findOn('/nowhere', dir)).toMatchObject({ command: join(dir, name), name, source: 'path' });
});

test('a server that runs and is named so is what is found, for real', { timeout: 120_000 }, async () => {
  const { command, env, version } = await findServerBinary();
  const dir = await createTemporaryDir();
  await symlink(command, join(dir, 'redis-server'));
  const found = await pathBinary.find(resolveSearchOptions({ env: { ...env, PATH: dir } }));
  expect(found).toMatchObject({ version, source: 'path' });
});

test('a server that is too old is passed over, and reported where there is no other', async () => {
  const old = await program('redis-server', 'Redis server v=6.0.16 sha=00000000:0');
  const young = await program('redis-server', REDIS_7);
  expect(await findOn(old, young)).toMatchObject({ command: join(young, 'redis-server') });
  expect(await findOn(old)).toEqual({
    missing: `${join(old, 'redis-server')} is version 6.0.16; 7.0 or later is needed`,
  });
});

test('a file that is no program, and a directory of that name, are not taken for a server', async () => {
  const dir = await createTemporaryDir();
  await writeFile(join(dir, 'redis-server'), 'x', { mode: 0o644 });
  await mkdir(join(dir, 'valkey-server'));
  expect(await findOn(dir)).toEqual({ missing: 'neither is there' });
});
