import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findServerBinary } from './find-server-binary.ts';
import type { LocalRedis } from './sources/local-redis.ts';
import { ensurePrivateDirectory } from './system/private-directory.ts';
import { startPrivateServer } from './server/private-server.ts';
import type { SearchOptions } from './sources/search-options.ts';

export interface PrivateRedisOptions extends SearchOptions {
  /** More arguments for the server; they come last and override, e.g. `['--maxmemory', '10mb']`. */
  readonly args?: readonly string[];
  /** Its data directory, kept at the end; a new temporary one, removed at the end, by default. */
  readonly dir?: string;
  /** A unix socket, or a TCP port on 127.0.0.1: a free one, or the one after `--port` in `args`. */
  readonly listen?: 'unix' | 'tcp';
}

export interface PrivateRedis extends LocalRedis {
  readonly dir: string;
  readonly pid: number;
}

/**
 * For tests: a server of one's own, empty unless `dir` holds data, that ends with `stop()` or with this process.
 * Nothing is joined: two servers on one `dir` would spoil its data.
 * @throws RedisNotFound when there is no program to start; Error with the server's last output when it does not start.
 */
export async function startPrivateRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const binary = await findServerBinary(options);
  const dir = options.dir
    ? await ensurePrivateDirectory(resolve(options.dir))
    : await mkdtemp(join(tmpdir(), 'baton-redis-'));
  const discard = async (): Promise<void> => {
    if (!options.dir) await rm(dir, { recursive: true, force: true });
  };
  try {
    const { args = [], listen = 'unix' } = options;
    const server = await startPrivateServer(binary, { dir, listen, args });
    const stop = async (): Promise<void> => {
      await server.stop();
      await discard();
    };
    return { url: server.url, source: binary.source, dir, pid: server.pid, stop };
  } catch (error) {
    await discard();
    throw error;
  }
}
