import { chmod, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fetchServerProgram, findServerProgram } from './server-program.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

const patient = { timeout: 120_000 };
const REDIS_7 = 'Redis server v=7.2.4 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=0';

/** A folder with a program that says this. */
async function program(name: string, says: string): Promise<string> {
  const dir = await createTemporaryDir();
  await writeFile(join(dir, name), `#!/bin/sh\necho '${says}'\n`);
  await chmod(join(dir, name), 0o755);
  return dir;
}

async function findOn(...dirs: string[]): Promise<string> {
  vi.stubEnv('PATH', [...dirs, process.env['PATH']].join(delimiter));
  return findServerProgram().finally(() => vi.unstubAllEnvs());
}

test.each([
  ['redis-server', REDIS_7],
  ['valkey-server', 'Valkey server v=8.0.1 sha=0:0'],
])('%s on PATH is what is started', async (name, says) => {
  const old = name === 'redis-server' ? [] : [await program('redis-server', 'Redis server v=6.0.16 sha=0:0')];
  expect(await findOn(await program(name, says), ...old)).toBe(name);
});

test(
  'without Debian, or without a network, the cause is told and nothing half-done is left',
  patient,
  async () => {
    const cache = await createTemporaryDir();
    vi.stubEnv('XDG_CACHE_HOME', cache);
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    vi.stubEnv('https_proxy', 'http://127.0.0.1:1');
    const fetched = fetchServerProgram('redis').finally(() => vi.unstubAllEnvs());
    await expect(fetched).rejects.toThrow(/^fetching redis-server: .*(fetch|connect|download|only Debian)/is);
    expect((await readdir(join(cache, 'baton'))).filter((name) => name !== 'fetch.lock')).toEqual([]);
  },
);

test(
  'two who fetch at once fetch once, and what was fetched and does not run is replaced',
  patient,
  async (ctx) => {
    const cache = await createTemporaryDir();
    vi.stubEnv('XDG_CACHE_HOME', cache);
    const said: string[] = [];
    const fetch = () => fetchServerProgram('redis', (line) => said.push(line));
    try {
      const first = await fetch().catch((error: Error) => error);
      if (first instanceof Error && first.message.includes('only Debian')) return ctx.skip(first.message);
      expect(said).toEqual([expect.stringMatching(/^Fetching redis-server/)]);
      await writeFile(first as string, '#!/bin/false\n');
      const [second, third] = await Promise.all([fetch(), fetch()]);
      expect([second, third]).toEqual([first, first]);
      expect(said).toHaveLength(2);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);
