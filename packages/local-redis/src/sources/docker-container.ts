import { createHash, randomUUID } from 'node:crypto';
import pTimeout from 'p-timeout';
import type { ContainerRuntimeClient, StartedTestContainer } from 'testcontainers';
import type { ServerSource } from './redis-source.ts';
import type { LocalRedis } from './local-redis.ts';
import { errorMessage } from '../system/error-message.ts';
import { waitForPong } from '../client/ping.ts';
import type { SourceMiss, SearchContext } from './search-options.ts';

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
export function dockerContainer(image: string): ServerSource {
  return {
    provides: 'server',
    name: `Docker (${image})`,
    async find(search, dir) {
      try {
        return await runContainer(image, search, containerName(dir));
      } catch (error) {
        return { missing: errorMessage(error) };
      }
    },
  };
}

async function runContainer(
  image: string,
  search: SearchContext,
  name: string,
): Promise<LocalRedis | SourceMiss> {
  // Loaded here alone: it takes a third of a second, and a deployment does without it.
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
  const client = await pTimeout(getContainerRuntimeClient(), {
    milliseconds: ENGINE_MS,
    message: `an engine does not answer within ${ENGINE_MS} ms`,
  });
  const imageName = ImageName.fromString(image);
  if (!(await client.image.exists(imageName))) {
    search.onProgress(`Fetching ${image} through Docker`);
    await pTimeout(client.image.pull(imageName), {
      milliseconds: PULL_MS,
      message: `${image} could not be fetched within ${PULL_MS} ms`,
    });
  }
  // Whoever calls has the data directory to itself, so what is left of it was left by a process that is gone.
  await removeLeftover(client, name);
  const password = randomUUID();
  const container = await start(image, name, password).catch(async (error: unknown) => {
    await removeLeftover(client, name); // One that was made and could not be started.
    throw error;
  });
  const url = `redis://:${password}@127.0.0.1:${container.getMappedPort(PORT)}`;
  const stop = async (): Promise<void> => {
    // Without a timeout testcontainers kills at once, and the next start has a cut append-only file to mend.
    await container.stop({ timeout: STOP_MS });
  };
  try {
    await waitForPong(url, { limitMs: REACH_MS, keepTrying: true });
  } catch (error) {
    await stop();
    const { host } = client.info.containerRuntime;
    return {
      missing: `the engine (${host}) publishes on a loopback that is not ours: ${errorMessage(error)}`,
    };
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

async function removeLeftover(client: ContainerRuntimeClient, name: string): Promise<void> {
  const left = await client.container.fetchByLabel(LABEL, name, {
    status: ['created', 'running', 'paused', 'exited'],
  });
  if (left) await left.remove({ force: true, v: true });
}

/** The container and the volume of a data directory (its real path). */
export function containerName(dir: string): string {
  return `baton-redis-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;
}
