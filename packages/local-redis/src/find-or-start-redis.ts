import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { redisSources } from './sources/redis-sources.ts';
import { useConfiguredUrl } from './sources/configured-url.ts';
import { installCommand } from './sources/install-command.ts';
import type { RedisSource } from './sources/redis-source.ts';
import type { LocalRedis } from './sources/local-redis.ts';
import { ensurePrivateDirectory } from './system/private-directory.ts';
import { startPrivateServer } from './server/private-server.ts';
import { type FailedAttempt, redisNotFound } from './sources/redis-not-found.ts';
import { joinRunningServer, writeRunningRecord } from './server/running-record.ts';
import { type SearchContext, type SearchOptions, resolveSearchOptions } from './sources/search-options.ts';
import { withStartLock } from './server/start-lock.ts';
import { currentSystem } from './system/operating-system.ts';

export interface FindRedisOptions extends SearchOptions {
  /** Baton's data directory; the server's data goes into `redis/` in it, with mode 0700. */
  readonly dataDir: string;
  /** Where to look when `REDIS_URL` is not set; all of `redisSources` by default. */
  readonly sources?: readonly RedisSource[];
}

/**
 * A Redis that answers PING: the one that `REDIS_URL` names, the one that another process runs on the same `dataDir`,
 * or a private one from the first source that has one. A private one ends with `stop()` or with this process.
 * @throws RedisNotFound when `REDIS_URL` cannot be used or nothing was found.
 * @throws Error with the server's last output when one was found and does not start on this data; the sources
 *   after it are not tried, since they would start it without the data.
 */
export async function findOrStartRedis({
  dataDir,
  sources = redisSources,
  ...options
}: FindRedisOptions): Promise<LocalRedis> {
  const search = resolveSearchOptions(options);
  const given = search.env['REDIS_URL'];
  if (given) return useConfiguredUrl(given);

  // The real path, so that two names of one directory do not make two servers.
  const dir = await realpath(await ensurePrivateDirectory(join(dataDir, 'redis')));
  return withStartLock(dir, search.onProgress, async () => {
    const running = await joinRunningServer(dir);
    if (running) return running;
    const started = await startFromFirstSource(sources, search, dir);
    const forget = await writeRunningRecord(dir, started.url);
    // Under the lock: nobody may join a server that is ending, nor start one on data that is still being written.
    const stop = (): Promise<void> =>
      withStartLock(dir, search.onProgress, async () => {
        await started.stop();
        await forget();
      });
    return { ...started, stop: onlyOnce(stop) };
  });
}

async function startFromFirstSource(
  sources: readonly RedisSource[],
  search: SearchContext,
  dir: string,
): Promise<LocalRedis> {
  const attempts: FailedAttempt[] = [{ name: 'REDIS_URL', reason: 'it is not set' }];
  for (const source of sources) {
    const found = source.provides === 'binary' ? await source.find(search) : await source.find(search, dir);
    if ('missing' in found) {
      attempts.push({ name: source.name, reason: found.missing });
    } else if ('url' in found) {
      return found;
    } else {
      const { url, stop } = await startPrivateServer(found, { dir, listen: 'unix' });
      return { url, source: found.source, stop };
    }
  }
  throw redisNotFound(attempts, installCommand(await currentSystem()));
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
