import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { claimData } from './data-owner.ts';
import { startRedisContainer } from './redis-container.ts';
import { fetchServerProgram, findInstalledProgram, redisNotFound } from './server-program.ts';
import { privateDirectory, startServer } from './server-process.ts';

/** The Redis of a data directory, which answers. */
export interface LocalRedis {
  /** `redis://`, or `unix:///path/redis.sock`: a path that needs no percent-decoding. */
  readonly url: string;
  /** The program, or `Docker`; `joined` is one that another process runs. */
  readonly source: string;
  /** Ends it where we started it and does nothing where we did not; safe to repeat. */
  readonly stop: () => Promise<void>;
}

/**
 * The Redis on the data in `<dataDir>/redis` (0700): the one that another process runs there, or a new one that ends with `stop()` or with
 * this process. It is the program on PATH or one fetched earlier, else a container, else what the distribution's packages have. `say` gets a
 * line before anything that takes seconds.
 * @throws RedisNotFound; Error with the server's last output when it does not start on this data: another would not have it either.
 */
export async function findOrStartRedis(
  dataDir: string,
  say: (line: string) => void = () => {},
): Promise<LocalRedis> {
  // The real path, so that two names of one directory do not make two servers.
  const dir = await realpath(await privateDirectory(join(dataDir, 'redis')));
  const claim = await claimData(dir, say);
  if ('url' in claim) return { url: claim.url, source: 'joined', stop: async () => {} };
  let started: LocalRedis | undefined;
  try {
    started = await start(dir, say);
    await claim.tell(started.url);
  } catch (error) {
    await started?.stop();
    await claim.release();
    throw error;
  }
  const { url, source, stop } = started;
  const end = async (): Promise<void> => {
    try {
      await claim.tell(undefined);
    } finally {
      await stop();
      await claim.release();
    }
  };
  let stopping: Promise<void> | undefined;
  return { url, source, stop: () => (stopping ??= end()) };
}

async function start(dir: string, say: (line: string) => void): Promise<LocalRedis> {
  const tried: string[] = [];
  /** Undefined where this place has none. */
  const tryPlace = <T>(find: () => Promise<T>): Promise<T | undefined> =>
    find().catch((error: Error) => {
      tried.push(error.message);
      return undefined;
    });
  const run = async (program: string) => ({ ...(await startServer(program, { dir })), source: program });
  const installed = await tryPlace(findInstalledProgram);
  if (installed !== undefined) return run(installed);
  const container = await tryPlace(() => startRedisContainer(dir, say));
  if (container !== undefined) return { ...container, source: 'Docker' };
  const fetched = await tryPlace(() => fetchServerProgram('redis', say));
  if (fetched !== undefined) return run(fetched);
  throw await redisNotFound(tried);
}
