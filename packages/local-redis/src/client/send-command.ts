import { Redis } from 'ioredis';
import pTimeout from 'p-timeout';

/**
 * Sends one command on a connection of its own to `redis://`, `rediss://`, `unix://` or a bare absolute socket path; resolves with the
 * reply as text.
 * @throws ReplyError where the server refuses the password or the command; Error when nobody answers within `limitMs`, or what answers
 *   is not a Redis.
 */
export async function sendCommand(
  url: string,
  [name, ...args]: readonly [string, ...string[]],
  limitMs: number,
): Promise<string> {
  const redis = new Redis(url.startsWith('unix://') ? decodeURIComponent(url.slice('unix://'.length)) : url, {
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: limitMs,
  });
  // The connection's own error says more than that it was closed.
  const failed = new Promise<never>((_, reject) => redis.on('error', reject));
  const reply = redis.connect().then(() => redis.call(name, ...args));
  try {
    return String(
      await pTimeout(Promise.race([failed, reply]), {
        milliseconds: limitMs,
        message: `no answer within ${limitMs} ms`,
      }),
    );
  } catch (error) {
    if (error instanceof Error && NO_REDIS.test(error.message))
      throw new Error('what answers there is not a Redis', { cause: error });
    throw error;
  } finally {
    redis.disconnect();
  }
}

/** How ioredis names what is no reply, and one that nobody has asked for. */
const NO_REDIS = /^(Unknown RESP type|Command queue state error)/;
