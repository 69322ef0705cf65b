import { createHash, randomUUID } from 'node:crypto';
import type { ContainerRuntimeClient, StartedTestContainer } from 'testcontainers';
import type { ServerLink } from './link.ts';
import type { LocalRedis } from './local-redis.ts';
import { messageOf } from './message-of.ts';
import { untilPong } from './ping.ts';
import type { Miss, Search } from './search.ts';

const PORT = 6379;
const LABEL = 'baton.data';
const ENGINE_MS = 15_000;
const PULL_MS = 300_000;
const READY_MS = 30_000;
/** How long a server that said it is ready may take to be reached. Only trying tells whether its loopback is ours. */
const REACH_MS = 5000;
const STOP_MS = 10_000;

/**
 * A container of its own on a Docker engine that answers; which one is for testcontainers to find, by `process.env`.
 * The data is in a volume that bears the same name and outlives the container, as a data directory would.
 */
export function inDocker(image: string): ServerLink {
  return {
    gives: 'server',
    name: `Docker (${image})`,
    async find(search, dir) {
      try {
        return await runContainer(image, search, nameFor(dir));
      } catch (error) {
        return { missing: messageOf(error) };
      }
    },
  };
}

async function runContainer(image: string, search: Search, name: string): Promise<LocalRedis | Miss> {
  // Loaded here alone: it takes a third of a second, and a deployment does without it.
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const client = await within(ENGINE_MS, getContainerRuntimeClient(), 'an engine does not answer');
  const imageName = ImageName.fromString(image);
  if (!(await client.image.exists(imageName))) {
    search.say(`Fetching ${image} through Docker`);
    await within(PULL_MS, client.image.pull(imageName), `${image} could not be fetched`);
  }
  // Whoever calls has the data directory to itself, so what is left of it was left by a process that is gone.
  await removeLeft(client, name);
  const password = randomUUID();
  const container = await start(image, name, password).catch(async (error: unknown) => {
    await removeLeft(client, name); // One that was made and could not be started.
    throw error;
  });
  const url = `redis://:${password}@127.0.0.1:${container.getMappedPort(PORT)}`;
  const stop = async (): Promise<void> => {
    // Without a timeout testcontainers kills at once, and the next start has a cut append-only file to mend.
    await container.stop({ timeout: STOP_MS });
  };
  try {
    await untilPong(url, { limitMs: REACH_MS, keepTrying: true });
  } catch (error) {
    await stop();
    const { host } = client.info.containerRuntime;
    return { missing: `the engine (${host}) publishes on a loopback that is not ours: ${messageOf(error)}` };
  }
  return { url, source: 'docker', stop };
}

async function start(image: string, name: string, password: string): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  class OnLoopback extends GenericContainer {
    /** Testcontainers publishes on every interface of the machine. */
    protected override async beforeContainerCreated(): Promise<void> {
      this.hostConfig.PortBindings = { [`${PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '0' }] };
    }
  }
  // A password, since every user of this machine reaches its loopback; in a file, since they see arguments too.
  const config = `appendonly yes\nsave ""\nmaxmemory-policy noeviction\ndir /data\nrequirepass ${password}\n`;
  return new OnLoopback(image)
    .withName(name)
    .withLabels({ [LABEL]: name })
    .withExposedPorts(PORT)
    .withBindMounts([{ source: name, target: '/data' }])
    .withCopyContentToContainer([{ content: config, target: '/etc/baton-redis.conf', mode: 0o444 }])
    .withCommand(['redis-server', '/etc/baton-redis.conf'])
    .withWaitStrategy(Wait.forLogMessage(/eady to accept connections/))
    .withStartupTimeout(READY_MS)
    .start();
}

async function removeLeft(client: ContainerRuntimeClient, name: string): Promise<void> {
  const left = await client.container.fetchByLabel(LABEL, name, {
    status: ['created', 'running', 'paused', 'exited'],
  });
  if (left) await left.remove({ force: true, v: true });
}

/** The container and the volume of a data directory (its real path). */
export function nameFor(dir: string): string {
  return `baton-redis-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;
}

async function within<T>(limitMs: number, work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${otherwise} within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
