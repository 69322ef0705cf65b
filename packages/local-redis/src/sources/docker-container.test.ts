import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { sendCommand } from '../client/send-command.ts';
import { dockerContainer, containerName } from './docker-container.ts';
import { findOrStartRedis } from '../find-or-start-redis.ts';
import type { RedisSource } from './redis-source.ts';
import type { LocalRedis } from './local-redis.ts';
import { runInChildProcess } from '../testing/child-process.ts';
import { isAnswering } from '../client/ping.ts';
import { createTemporaryDir } from '../testing/temporary-dir.ts';

const patient = { timeout: 300_000 };
const env: NodeJS.ProcessEnv = { ...process.env, REDIS_URL: '' };
const sources = [dockerContainer('redis:7-bookworm')];

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
  const name = containerName(join(dataDir, 'redis'));
  const containers = () => docker.listContainers({ all: true, filters: { name: [name] } });
  onTestFinished(async () => {
    for (const { Id } of await containers()) await docker.getContainer(Id).remove({ force: true });
    const { Volumes } = await docker.listVolumes({ filters: { name: [name] } });
    for (const { Name } of Volumes) await docker.getVolume(Name).remove();
  });
  return { dataDir, containers };
}

async function info(url: string): Promise<string[]> {
  return (await sendCommand(url, ['INFO'], 2000)).split('\r\n');
}

test(
  'a container serves on loopback only, with a password, and is removed at the end; its data stays',
  patient,
  async (ctx) => {
    const { dataDir, containers } = await setUp(ctx);
    const first = await findOrStartRedis({ dataDir, env, sources });
    expect(first.source).toBe('docker');
    expect(await info(first.url)).toEqual(
      expect.arrayContaining(['aof_enabled:1', 'maxmemory_policy:noeviction']),
    );
    const { hostname, port, password } = new URL(first.url);
    await expect(sendCommand(`redis://${hostname}:${port}`, ['PING'], 2000)).rejects.toThrow('NOAUTH');
    const [container, ...others] = await containers();
    expect(others).toEqual([]);
    expect(container?.Ports).toEqual([
      { IP: '127.0.0.1', PrivatePort: 6379, PublicPort: Number(port), Type: 'tcp' },
    ]);
    expect(JSON.stringify(container)).not.toContain(password);

    await sendCommand(first.url, ['SET', 'key', 'kept'], 2000);
    await Promise.all([first.stop(), first.stop()]);
    expect(await containers()).toEqual([]);
    const second = await findOrStartRedis({ dataDir, env, sources });
    expect(await sendCommand(second.url, ['GET', 'key'], 2000)).toBe('kept');
    await second.stop();
  },
);

/** All sources, in another process, where there is neither a server on PATH nor one that was fetched. */
const holdIn = (dataDir: string) =>
  runInChildProcess(
    `const found = await redis.findOrStartRedis({ dataDir: ${JSON.stringify(dataDir)} });
    print({ url: found.url, source: found.source });
    setInterval(() => {}, 1000);`,
    { environment: { ...env, PATH: '/nowhere', XDG_CACHE_HOME: dataDir } },
  );

test(
  'a container is joined while its owner lives, and replaced once that was killed',
  patient,
  async (ctx) => {
    const { dataDir, containers } = await setUp(ctx);
    const owner = holdIn(dataDir);
    const { url, source } = (await owner.next()) as LocalRedis;
    expect(source).toBe('docker');
    const joined = await findOrStartRedis({ dataDir, env, sources });
    expect(joined).toMatchObject({ url, source: 'joined' });
    await joined.stop();
    await sendCommand(url, ['SET', 'key', 'kept'], 2000);

    owner.child.kill('SIGKILL');
    await owner.ended();
    const found = await findOrStartRedis({ dataDir, env, sources });
    expect(found.source).toBe('docker');
    expect(await isAnswering(url)).toBe(false);
    expect(await sendCommand(found.url, ['GET', 'key'], 2000)).toBe('kept');
    expect(await containers()).toHaveLength(1);
    await found.stop();
  },
);

test(
  'an engine that cannot give the image is passed over, and the reason is reported',
  patient,
  async (ctx) => {
    const { dataDir, containers } = await setUp(ctx);
    const next: RedisSource = {
      provides: 'server',
      name: 'the next source',
      find: async () => ({ missing: 'was asked' }),
    };
    const attempt = findOrStartRedis({
      dataDir,
      env,
      sources: [dockerContainer('baton.invalid/no-such-image:1'), next],
    });
    await expect(attempt).rejects.toThrow(
      /Docker \(baton\.invalid\/no-such-image:1\): .*(lookup|host|image).*\n.*the next source: was asked/,
    );
    expect(await containers()).toEqual([]);
  },
);
