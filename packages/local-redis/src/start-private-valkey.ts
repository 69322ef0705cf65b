import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { resolveSearchOptions } from './sources/search-options.ts';
import { type PrivateRedis, startPrivateRedis } from './start-private-redis.ts';

/** From the repository's root, where tests and benchmarks run. */
const FETCH = resolve('infra/scripts/fetch-valkey.sh');

/**
 * For tests: a private server as `startPrivateRedis` starts it, but Valkey, whose commands are newer than those of the
 * distribution's Redis. It is fetched once, from the distribution's backports.
 * @throws Error with what the script that fetches it printed.
 */
export async function startPrivateValkey(args: readonly string[]): Promise<PrivateRedis> {
  const { cacheDir, env } = resolveSearchOptions({});
  const dir = join(cacheDir, 'valkey');
  await promisify(execFile)(FETCH, [dir], { timeout: 180_000 });
  return startPrivateRedis({ env: { ...env, PATH: `${dir}:${env['PATH'] ?? ''}` }, args });
}
