import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { findOrStartRedis, type LocalRedis } from './find-or-start-redis.ts';
import { serverState } from './server-state.ts';
import { runInChildProcess } from './testing/child-process.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

// The first test to come here fetches the server where there is none.
const patient = { timeout: 120_000 };

async function findIn(dataDir: string): Promise<LocalRedis> {
  const found = await findOrStartRedis(dataDir);
  onTestFinished(() => found.stop());
  return found;
}

const holdIn = (dataDir: string) =>
  runInChildProcess(
    `const { url, source } = await redis.findOrStartRedis(${JSON.stringify(dataDir)});
    print({ url, source });
    setInterval(() => {}, 1000);`,
  );

/** One command on a connection of its own. */
async function command(url: string, name: string, ...args: string[]): Promise<unknown> {
  const client = new Redis(url.replace('unix://', ''));
  try {
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('it is private to its owner, keeps its data and leaves no claim behind', patient, async () => {
  const dataDir = await createTemporaryDir();
  await mkdir(join(dataDir, 'redis'), { mode: 0o755 });
  const first = await findIn(dataDir);
  expect(await modeOf(join(dataDir, 'redis'))).toBe('700');
  expect(await modeOf(join(dataDir, 'redis/owner.json'))).toBe('600');
  await command(first.url, 'SET', 'key', 'kept');
  await Promise.all([first.stop(), first.stop()]);
  expect(await serverState(first.url)).toBeUndefined();
  expect(await readdir(join(dataDir, 'redis'))).toEqual(['appendonlydir']);
  expect(await command((await findIn(dataDir)).url, 'GET', 'key')).toBe('kept');
});

test(
  'a second process with the same data directory joins, and its end does not end the first',
  patient,
  async () => {
    const dataDir = await createTemporaryDir();
    const first = await findIn(dataDir);
    const second = holdIn(dataDir);
    expect(await second.next()).toEqual({ url: first.url, source: 'joined' });
    second.child.kill('SIGKILL');
    await second.ended();
    const third = await findIn(dataDir);
    expect(third.source).toBe('joined');
    await third.stop();
    expect(await serverState(first.url)).toBeDefined();
  },
);

test('of four that start at once one starts a server and the others join it', patient, async () => {
  const dataDir = await createTemporaryDir();
  const all = [1, 2, 3, 4].map(() => holdIn(dataDir));
  const found = (await Promise.all(all.map(({ next }) => next()))) as LocalRedis[];
  expect(new Set(found.map(({ url }) => url)).size).toBe(1);
  expect(found.filter(({ source }) => source === 'joined')).toHaveLength(3);
});

test('the server of a process that was killed is not joined; a new one has its data', patient, async () => {
  const dataDir = await createTemporaryDir();
  const killed = holdIn(dataDir);
  const { url } = (await killed.next()) as LocalRedis;
  await command(url, 'SET', 'key', 'kept');
  killed.child.kill('SIGKILL');
  await killed.ended();
  const found = await findIn(dataDir);
  expect(found.source).not.toBe('joined');
  expect(await command(found.url, 'GET', 'key')).toBe('kept');
});

test('a server that is being stopped is not joined', patient, async () => {
  const dataDir = await createTemporaryDir();
  const first = await findIn(dataDir);
  const stopped = first.stop();
  const second = await findIn(dataDir);
  await stopped;
  expect(second.source).not.toBe('joined');
  expect(await serverState(second.url)).toBeDefined();
});

test.each([
  ['of a killed process whose number is ours by now', { pid: process.pid, host: hostname() }, false],
  ['of another machine that shows no sign of life', { pid: 1, host: 'another-machine' }, true],
  ['that a loss of power cut short', undefined, true],
])('a claim %s is taken over', patient, async (_, owner, isOld) => {
  const dataDir = await createTemporaryDir();
  const file = join(dataDir, 'redis/owner.json');
  await mkdir(join(dataDir, 'redis'));
  await writeFile(file, owner === undefined ? '{"pid":' : JSON.stringify({ ...owner, token: 'x' }));
  const said: string[] = [];
  const found = await findOrStartRedis(dataDir, (line) => {
    said.push(line);
    // The wait is told of once; only then does the claim grow old.
    const grownOld = new Date(Date.now() - 60_000);
    if (isOld) void utimes(file, grownOld, grownOld);
  });
  onTestFinished(() => found.stop());
  expect(found.source).not.toBe('joined');
  expect(said.length).toBe(1);
});

test('a server that does not start on its data is told of, with what it said', patient, async () => {
  const dataDir = await createTemporaryDir();
  await mkdir(join(dataDir, 'redis/appendonlydir'), { recursive: true });
  await writeFile(join(dataDir, 'redis/appendonlydir/appendonly.aof.manifest'), 'spoiled\n');
  await expect(findOrStartRedis(dataDir)).rejects.toThrow(
    /did not start: it exited with code 1; it said last:[^]*manifest/,
  );
  expect(await readdir(join(dataDir, 'redis'))).not.toContain('owner.json');
});

test('where there is none the message says why of each place, and what to do', patient, async () => {
  const dir = await createTemporaryDir();
  const other = runInChildProcess(
    `await redis.findOrStartRedis(${JSON.stringify(dir)})
      .then(({ source }) => print(source), ({ exitCode, message }) => print({ exitCode, message }));`,
    { PATH: dir, HOME: dir, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  );
  const answer = await other.next();
  // An engine at one of its usual sockets is found whatever the environment says.
  if (answer === 'Docker') return;
  expect(answer).toEqual({ exitCode: 78, message: expect.any(String) });
  const lines = (answer as Error).message.split('\n');
  expect(lines[0]).toBe('No Redis was found. Tried, in this order:');
  expect(lines[1]).toMatch(/^ {2}- redis-server is not on PATH; valkey-server is not on PATH; \S/);
  expect(lines[2]).toMatch(/^ {2}- \S.*container/i);
  expect(lines[3]).toMatch(/^ {2}- fetching redis-server: \S/);
  expect(lines[4]).toBe('To install one, type this and start again:');
  expect(lines[5]).toMatch(/^ {2}\S.*(redis|valkey)/);
  expect(lines).toHaveLength(6);
});
