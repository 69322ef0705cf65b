import { redisSources } from './sources/redis-sources.ts';
import type { RedisSource } from './sources/redis-source.ts';
import { type FailedAttempt, redisNotFound } from './sources/redis-not-found.ts';
import { installCommand } from './sources/install-command.ts';
import { type SearchOptions, resolveSearchOptions } from './sources/search-options.ts';
import type { ServerBinary } from './sources/server-binary.ts';
import { currentSystem } from './system/operating-system.ts';

/**
 * The server program itself, for tests that start clusters and sentinels: from PATH, from the cache, or downloaded
 * from the distribution's packages.
 * @throws RedisNotFound listing what was tried.
 */
export async function findServerBinary(
  options: SearchOptions & { readonly sources?: readonly RedisSource[] } = {},
): Promise<ServerBinary> {
  const search = resolveSearchOptions(options);
  const attempts: FailedAttempt[] = [];
  for (const source of options.sources ?? redisSources) {
    if (source.provides !== 'binary') continue;
    const found = await source.find(search);
    if (!('missing' in found)) return found;
    attempts.push({ name: source.name, reason: found.missing });
  }
  throw redisNotFound(attempts, installCommand(await currentSystem()));
}
