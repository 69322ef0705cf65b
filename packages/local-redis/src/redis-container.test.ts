import { join } from 'node:path';
import { Redis } from 'ioredis';
import { getContainerRuntimeClient } from 'testcontainers';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { containerName, startRedisContainer } from './redis-container.ts';
import { serverState } from './server-state.ts';
import { runInChildProcess } from './testing/child-process.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

const patient = { timeout: 300_000 };
const silent = (): void => {};

type Engine = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode'];

/** Docker's own view, and a data directory whose container and volume are gone after the test. */
async function setUp(ctx: TestContext) {
  let docker: Engine;
  try {
    docker = (await getContainerRuntimeClient()).container.dockerode;
  } catch (error) {
    if (process.env['CI']) throw error;
    return ctx.skip('no Docker engine answers');
  }
  const dataDir = await createTemporaryDir();
  const dir = join(dataDir, 'redis');
  const name = containerName(dir);
  const containers = () => docker.listContainers({ all: true, filters: { name: [name] } });
  onTestFinished(async () => {
    for (const { Id } of await containers()) await docker.getContainer(Id).remove({ force: true });
    const { Volumes } = await docker.listVolumes({ filters: { name: [name] } });
    for (const { Name } of Volumes) await docker.getVolume(Name).remove();
  });
  return { dataDir, dir, containers };
}

test(
  'a container serves on loopback only, with a password, and is removed at the end; its data stays',
  patient,
  async (ctx) => {
    const { dir, containers } = await setUp(ctx);
    const first = await startRedisContainer(dir, silent);
    const client = new Redis(first.url);
    expect(await client.config('GET', 'append*nly')).toMatchObject(['appendonly', 'yes']);
    const { hostname, port, password } = new URL(first.url);
    expect(await serverState(`redis://${hostname}:${port}`)).toBeUndefined();
    const [container, ...others] = await containers();
    expect(others).toEqual([]);
    expect(container?.Ports).toEqual([
      { IP: '127.0.0.1', PrivatePort: 6379, PublicPort: Number(port), Type: 'tcp' },
    ]);
    expect(JSON.stringify(container)).not.toContain(password);

    await client.set('key', 'kept');
    client.disconnect();
    await first.stop();
    expect(await containers()).toEqual([]);
    const second = await startRedisContainer(dir, silent);
    const again = new Redis(second.url);
    expect(await again.get('key')).toBe('kept');
    again.disconnect();
    await second.stop();
  },
);

/** A process that finds neither a server on PATH, nor one that was fetched, nor what fetches one. */
const holdIn = (dataDir: string) =>
  runInChildProcess(
    `const { url, source } = await redis.findOrStartRedis(${JSON.stringify(dataDir)});
    print({ url, source });
    setInterval(() => {}, 1000);`,
    { ...process.env, PATH: '/nowhere' },
  );

test(
  'a container is joined while its owner lives, and replaced once that was killed',
  patient,
  async (ctx) => {
    const { dataDir, containers } = await setUp(ctx);
    const owner = holdIn(dataDir);
    const { url, source } = (await owner.next()) as { url: string; source: string };
    expect(source).toBe('Docker');
    expect(await holdIn(dataDir).next()).toEqual({ url, source: 'joined' });
    owner.child.kill('SIGKILL');
    await owner.ended();
    expect(await holdIn(dataDir).next()).toMatchObject({ source: 'Docker' });
    expect(await serverState(url)).toBeUndefined();
    expect(await containers()).toHaveLength(1);
  },
);
