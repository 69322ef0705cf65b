import { existsSync } from 'node:fs';
import { access, chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendCommand } from './client/send-command.ts';
import { cachedBinary } from './sources/cached-binary.ts';
import { redisSources } from './sources/redis-sources.ts';
import { findOrStartRedis } from './find-or-start-redis.ts';
import { findServerBinary } from './find-server-binary.ts';
import { installCommand } from './sources/install-command.ts';
import type { RedisSource } from './sources/redis-source.ts';
import type { LocalRedis } from './sources/local-redis.ts';
import { pathBinary } from './sources/path-binary.ts';
import { runInChildProcess } from './testing/child-process.ts';
import { distributionPackages } from './sources/distribution-packages.ts';
import { isAnswering } from './client/ping.ts';
import { RedisNotFound } from './sources/redis-not-found.ts';
import { currentSystem } from './system/operating-system.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

const patient = { timeout: 120_000 };
const env: NodeJS.ProcessEnv = { ...process.env, REDIS_URL: '' };
const sources = redisSources.filter(({ provides }) => provides === 'binary');

async function findIn(dataDir: string): Promise<LocalRedis> {
  const found = await findOrStartRedis({ dataDir, env, sources });
  onTestFinished(() => found.stop());
  return found;
}

const holdIn = (dataDir: string) =>
  runInChildProcess(
    `const found = await redis.findOrStartRedis({ dataDir: ${JSON.stringify(dataDir)} });
    print({ url: found.url, source: found.source });
    setInterval(() => {}, 1000);`,
    // No engine: what this machine has of Docker is not what these tests are about.
    { environment: { ...env, DOCKER_HOST: 'unix:///nowhere/docker.sock' } },
  );

test('a private Redis is started in a 0700 directory of the data directory', patient, async () => {
  const dataDir = await createTemporaryDir();
  await mkdir(join(dataDir, 'redis'), { mode: 0o755 });
  await chmod(join(dataDir, 'redis'), 0o755);
  const found = await findIn(dataDir);
  expect(found.url).toBe(`unix://${dataDir}/redis/redis.sock`);
  expect(['path', 'cache', 'packages']).toContain(found.source);
  expect((await stat(join(dataDir, 'redis'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(dataDir, 'redis/running.json'))).mode & 0o777).toBe(0o600);
  await Promise.all([found.stop(), found.stop()]);
  expect(await isAnswering(found.url)).toBe(false);
  await expect(access(join(dataDir, 'redis/running.json'))).rejects.toThrow('ENOENT');
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
    expect(await isAnswering(first.url)).toBe(true);
  },
);

test('of two that start at once one starts a server and the other joins it', patient, async () => {
  const dataDir = await createTemporaryDir();
  const both = [holdIn(dataDir), holdIn(dataDir)];
  const found = (await Promise.all(both.map(({ next }) => next()))) as LocalRedis[];
  expect(new Set(found.map(({ url }) => url)).size).toBe(1);
  expect(found.filter(({ source }) => source === 'joined')).toHaveLength(1);
});

test('the server of a process that was killed is not joined; a new one has its data', patient, async () => {
  const dataDir = await createTemporaryDir();
  const killed = holdIn(dataDir);
  const { url } = (await killed.next()) as LocalRedis;
  await sendCommand(url, ['SET', 'key', 'kept'], 2000);
  killed.child.kill('SIGKILL');
  await killed.ended();
  const found = await findIn(dataDir);
  expect(found.source).not.toBe('joined');
  expect(await sendCommand(found.url, ['GET', 'key'], 2000)).toBe('kept');
});

test('a server that is being stopped is not joined', patient, async () => {
  const dataDir = await createTemporaryDir();
  const first = await findIn(dataDir);
  const stopped = first.stop();
  const second = await findIn(dataDir);
  await stopped;
  expect(second.source).not.toBe('joined');
  expect(await isAnswering(second.url)).toBe(true);
});

test(
  'a server that crashed is replaced, and the end of its owner does not end the new one',
  patient,
  async () => {
    const dataDir = await createTemporaryDir();
    const crashed = await findIn(dataDir);
    const text = await sendCommand(crashed.url, ['INFO', 'server'], 2000);
    process.kill(Number(/process_id:(\d+)/.exec(text)?.[1]), 'SIGKILL');
    await vi.waitFor(async () => expect(await isAnswering(crashed.url)).toBe(false));
    // Its record names a process that lives, this one, and its socket file is still there.
    const second = await findIn(dataDir);
    expect(second.source).toBe(crashed.source);
    await crashed.stop();
    expect(await isAnswering(second.url)).toBe(true);
    expect((await findIn(dataDir)).source).toBe('joined');
  },
);

test(
  'a server that does not start on its data is told of, and no other is tried without the data',
  patient,
  async () => {
    const dataDir = await createTemporaryDir();
    const dir = join(dataDir, 'redis/appendonlydir');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'appendonly.aof.manifest'), 'spoiled\n');
    const binary = await findServerBinary({ env });
    const reached: string[] = [];
    const first: RedisSource = { provides: 'binary', name: 'the first', find: async () => binary };
    const second: RedisSource = {
      provides: 'binary',
      name: 'the second',
      find: async () => {
        reached.push('the second');
        return binary;
      },
    };
    const attempt = findOrStartRedis({ dataDir, env, sources: [first, second] });
    await expect(attempt).rejects.toThrow(/did not start[^]*it said last:[^]*manifest/);
    expect(reached).toEqual([]);
  },
);

test('where nothing is found the message lists what was tried and why, and ends with the line to type', async () => {
  const empty = await createTemporaryDir();
  const unavailable: RedisSource = {
    provides: 'server',
    name: 'Docker',
    find: async () => ({ missing: 'no engine answers' }),
  };
  const attempt = findOrStartRedis({
    dataDir: empty,
    cacheDir: join(empty, 'cache'),
    env: { PATH: empty },
    sources: [pathBinary, cachedBinary, unavailable, distributionPackages],
  });
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  if (!(error instanceof RedisNotFound)) throw error;
  expect(error.exitCode).toBe(78);
  const lines = error.message.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'No Redis was found. Tried, in this order:',
    '  - REDIS_URL: it is not set',
    '  - redis-server or valkey-server on PATH: neither is there',
    expect.stringMatching(/^ {2}- a server fetched earlier: there is no .*cache\/redis-/),
    '  - Docker: no engine answers',
  ]);
  expect(lines[5]).toMatch(
    /^ {2}- the distribution's packages, unpacked without root: (there is no apt-get|only on)/,
  );
  expect(lines.at(-1)).toBe(`  ${installCommand(await currentSystem())}`);
  expect(lines).toHaveLength(8);
});

test('a process whose engine gives no Redis says why', patient, async () => {
  const dir = await createTemporaryDir();
  const other = runInChildProcess(
    `await redis.findOrStartRedis({ dataDir: ${JSON.stringify(dir)}, cacheDir: ${JSON.stringify(join(dir, 'cache'))} })
      .then(() => print('found'), (error) => print([error.exitCode, error.message]));`,
    { environment: { PATH: dir, HOME: dir, DOCKER_HOST: 'unix:///nowhere/docker.sock' } },
  );
  const answer = await other.next();
  // An engine on a usual socket is found whatever DOCKER_HOST says: it starts a Redis, or says itself what it lacks.
  const mayAnswer = ['/var/run', `/run/user/${process.getuid?.()}`].some((at) =>
    existsSync(`${at}/docker.sock`),
  );
  if (mayAnswer && answer === 'found') return;
  const reason = mayAnswer ? '\\S+ \\S' : 'Could not find a working container';
  const line = new RegExp(`^ {2}- Docker \\(redis:7-bookworm\\): ${reason}`, 'm');
  expect(answer).toEqual([78, expect.stringMatching(line)]);
});
