import { Redis } from 'ioredis';

const REPLY_MS = 2_000;

/** A server that answers. */
export interface ServerState {
  readonly pid: number;
  /** Whether it still reads its data and refuses other commands. */
  readonly loading: boolean;
}

/** The server that answers at `redis://` or `unix://`; undefined where none does within 2 s, or refuses the password. */
export async function serverState(url: string): Promise<ServerState | undefined> {
  const redis = new Redis(url.replace(/^unix:\/\//, ''), {
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: REPLY_MS,
    commandTimeout: REPLY_MS,
  });
  // What goes wrong is told by the promises below.
  redis.on('error', () => {});
  try {
    await redis.connect();
    const info = await redis.info();
    return { pid: Number(/process_id:(\d+)/.exec(info)?.[1]), loading: info.includes('\nloading:1') };
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}
