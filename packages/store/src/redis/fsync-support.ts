import { BatonError } from '@baton/protocol';
import type { Cluster, Redis } from 'ioredis';
import { mastersOf } from './redis-client.ts';

/** WAITAOF exists since this version, in Redis and in Valkey. */
const OLDEST = [7, 2] as const;

/** A Redis that cannot say what is on its disk, though acknowledgements are to wait for that. No process starts on it. */
export class FsyncUnsupportedError extends BatonError {
  /** EX_CONFIG: a restart does not help until the setting is changed. */
  readonly exitCode = 78;
}

/** Errors: FsyncUnsupportedError when a server at `place` has no WAITAOF, or no append-only file to wait for. */
export async function requireFsync(client: Redis | Cluster, place: string): Promise<void> {
  for (const info of await Promise.all(mastersOf(client).map((node) => node.info()))) {
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldestMajor, oldestMinor] = OLDEST;
    if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
      refuse(
        `Redis at ${place} is version ${version}, and WAITAOF exists since ${OLDEST.join('.')}. Upgrade it`,
      );
    if (!/^aof_enabled:1/m.test(info))
      refuse(`Redis at ${place} has no append-only file. Set appendonly yes`);
  }
}

function refuse(why: string): never {
  throw new FsyncUnsupportedError('unavailable', `${why}, or unset BATON_REDIS_WAIT_AOF, and start again.`);
}
