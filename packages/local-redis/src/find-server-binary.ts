import { chain } from './chain.ts';
import type { Link } from './link.ts';
import { type Attempt, nothingFound } from './redis-not-found.ts';
import { installLine } from './install-line.ts';
import { type SearchOptions, searchWith } from './search.ts';
import type { ServerBinary } from './server-binary.ts';
import { thisSystem } from './system.ts';

/**
 * The server program itself, for tests that start clusters and sentinels: on PATH, fetched earlier, or fetched now
 * from the distribution's packages.
 * @throws RedisNotFound listing what was tried.
 */
export async function findServerBinary(
  options: SearchOptions & { readonly links?: readonly Link[] } = {},
): Promise<ServerBinary> {
  const search = searchWith(options);
  const attempts: Attempt[] = [];
  for (const link of options.links ?? chain) {
    if (link.gives !== 'binary') continue;
    const found = await link.find(search);
    if (!('missing' in found)) return found;
    attempts.push({ name: link.name, reason: found.missing });
  }
  throw nothingFound(attempts, installLine(await thisSystem()));
}
