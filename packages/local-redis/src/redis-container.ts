import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { serverState } from './server-state.ts';

const IMAGE = 'redis:7-bookworm';
const PORT = 6379;
const LABEL = 'baton.data';
/** How long a server that is ready may take to be reached. Only trying tells whether the engine's loopback is ours. */
const REACH_MS = 5_000;
const STOP_MS = 10_000;

/**
 * A Redis in a container, on the Docker engine that testcontainers finds. Its data is in a volume that bears the name of `dir` and outlives
 * the container. Called by one process at a time for each `dir`.
 * @throws Error where no engine answers, or the image is not to be had.
 */
export async function startRedisContainer(
  dir: string,
  say: (line: string) => void,
): Promise<{ url: string; stop: () => Promise<void> }> {
  // Loaded here alone: it takes a third of a second, and a deployment does without it.
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const client = await getContainerRuntimeClient();
  const name = containerName(dir);
  const removeLeftover = async () => {
    const left = await client.container.fetchByLabel(LABEL, name, {
      status: ['created', 'running', 'paused', 'exited'],
    });
    await left?.remove({ force: true, v: true });
  };
  class OnLoopback extends GenericContainer {
    /** Testcontainers publishes on every interface of the machine. */
    protected override async beforeContainerCreated(): Promise<void> {
      this.hostConfig.PortBindings = { [`${PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '0' }] };
    }
  }
  // A password, since every user of this machine reaches its loopback; in a file, since they see arguments too.
  const password = randomUUID();
  const config = `appendonly yes\nsave ""\nmaxmemory-policy noeviction\ndir /data\nrequirepass ${password}\n`;
  say(`Starting ${IMAGE} in Docker`);
  // Of a process that was killed.
  await removeLeftover();
  const container = await new OnLoopback(IMAGE)
    .withName(name)
    .withLabels({ [LABEL]: name })
    .withExposedPorts(PORT)
    .withBindMounts([{ source: name, target: '/data' }])
    .withCopyContentToContainer([{ content: config, target: '/etc/baton-redis.conf', mode: 0o444 }])
    .withCommand(['redis-server', '/etc/baton-redis.conf'])
    .withWaitStrategy(Wait.forLogMessage(/eady to accept connections/))
    .start()
    .catch(async (error: unknown) => {
      await removeLeftover();
      throw error;
    });
  const url = `redis://:${password}@127.0.0.1:${container.getMappedPort(PORT)}`;
  const stop = async (): Promise<void> => {
    // Without a timeout testcontainers kills at once, and the next start has a cut append-only file to mend.
    await container.stop({ timeout: STOP_MS });
  };
  for (const deadline = Date.now() + REACH_MS; (await serverState(url)) === undefined; await delay(50)) {
    if (Date.now() < deadline) continue;
    await stop();
    throw new Error(
      `the engine (${client.info.containerRuntime.host}) publishes on a loopback that is not ours`,
    );
  }
  return { url, stop };
}

/** The container and the volume of a data directory (its real path). */
export function containerName(dir: string): string {
  return `baton-redis-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;
}
