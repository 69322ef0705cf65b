import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { chain } from './chain.ts';
import { useGivenUrl } from './given-url.ts';
import { installLine } from './install-line.ts';
import type { Link } from './link.ts';
import type { LocalRedis } from './local-redis.ts';
import { privateDirectory } from './private-directory.ts';
import { startPrivateServer } from './private-server.ts';
import { type Attempt, nothingFound } from './redis-not-found.ts';
import { joinRunning, recordRunning } from './running-record.ts';
import { type Search, type SearchOptions, searchWith } from './search.ts';
import { withStartLock } from './start-lock.ts';
import { thisSystem } from './system.ts';

export interface FindRedisOptions extends SearchOptions {
  /** Baton's data directory; the server's data goes into `redis/` in it, with mode 0700. */
  readonly dataDir: string;
  /** Where to look when `REDIS_URL` is not set; the whole chain by default. */
  readonly links?: readonly Link[];
}

/**
 * A Redis that answers: the one that `REDIS_URL` names, the one that another process runs on the same `dataDir`, or a
 * private one from the first link that has something to give. A private one ends with `stop()` or with this process.
 * @throws RedisNotFound when `REDIS_URL` cannot be used or nothing was found.
 * @throws Error with the server's last output when one was found and does not start on this data; the links after it
 *   are not tried, since they would start it without the data.
 */
export async function findRedis({
  dataDir,
  links = chain,
  ...options
}: FindRedisOptions): Promise<LocalRedis> {
  const search = searchWith(options);
  const given = search.env['REDIS_URL'];
  if (given) return useGivenUrl(given);

  // The real path, so that two names of one directory do not make two servers.
  const dir = await realpath(await privateDirectory(join(dataDir, 'redis')));
  return withStartLock(dir, search.say, async () => {
    const running = await joinRunning(dir);
    if (running) return running;
    const started = await startFirst(links, search, dir);
    const forget = await recordRunning(dir, started.url);
    // Under the lock: nobody may join a server that is ending, nor start one on data that is still being written.
    const stop = (): Promise<void> =>
      withStartLock(dir, search.say, async () => {
        await started.stop();
        await forget();
      });
    return { ...started, stop: onlyOnce(stop) };
  });
}

async function startFirst(links: readonly Link[], search: Search, dir: string): Promise<LocalRedis> {
  const attempts: Attempt[] = [{ name: 'REDIS_URL', reason: 'it is not set' }];
  for (const link of links) {
    const found = link.gives === 'binary' ? await link.find(search) : await link.find(search, dir);
    if ('missing' in found) {
      attempts.push({ name: link.name, reason: found.missing });
    } else if ('url' in found) {
      return found;
    } else {
      const { url, stop } = await startPrivateServer(found, { dir, listen: 'unix' });
      return { url, source: found.source, stop };
    }
  }
  throw nothingFound(attempts, installLine(await thisSystem()));
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
