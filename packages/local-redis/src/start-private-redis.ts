import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchServerProgram, findServerProgram } from './server-program.ts';
import { privateDirectory, type ServerProcess, startServer } from './server-process.ts';

export interface PrivateRedisOptions {
  /** More arguments for the server; they come last and override, e.g. `['--maxmemory', '10mb']`. */
  readonly args?: readonly string[];
  /** Its data directory, kept at the end; a new temporary one, removed at the end, by default. */
  readonly dir?: string;
  /** A unix socket, or a free TCP port on 127.0.0.1. */
  readonly listen?: 'unix' | 'tcp';
  /** Added to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface PrivateRedis extends ServerProcess {
  readonly dir: string;
}

/**
 * For tests: a server of one's own, empty unless `dir` holds data, that ends with `stop()` or with this process. Two on one `dir` would
 * spoil its data.
 * @throws RedisNotFound when there is no program to start; Error with the server's last output when it does not start.
 */
export async function startPrivateRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  return start(await findServerProgram(), options);
}

/** As `startPrivateRedis`, but Valkey, whose commands are newer than those of the distribution's Redis. */
export async function startPrivateValkey(args: readonly string[]): Promise<PrivateRedis> {
  return start(await fetchServerProgram('valkey'), { args });
}

async function start(
  program: string,
  { args = [], dir: given, listen = 'unix', env = {} }: PrivateRedisOptions,
): Promise<PrivateRedis> {
  const dir = given ? await privateDirectory(resolve(given)) : await mkdtemp(join(tmpdir(), 'baton-redis-'));
  const discard = async (): Promise<void> => {
    if (!given) await rm(dir, { recursive: true, force: true });
  };
  try {
    const port = listen === 'tcp' ? { port: await freePort() } : {};
    const server = await startServer(program, { dir, args, env, ...port });
    return { ...server, dir, stop: () => server.stop().then(discard) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** A cluster node listens on its port and on this much above it. */
const BUS_OFFSET = 10_000;

/** A port that nobody listens on, whose cluster bus port is free too. Who takes it meanwhile makes the server end and say so. */
async function freePort(): Promise<number> {
  const port = (await listenOnce(0)) as number;
  return port + BUS_OFFSET < 65_536 && (await listenOnce(port + BUS_OFFSET)) !== undefined
    ? port
    : freePort();
}

/** The port that could be listened on; undefined where it is taken. */
async function listenOnce(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? address?.port : undefined;
}
