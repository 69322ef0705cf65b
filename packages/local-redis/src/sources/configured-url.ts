import { redactRedisUrl } from '../client/redact-redis-url.ts';
import type { LocalRedis } from './local-redis.ts';
import { errorMessage } from '../system/error-message.ts';
import { waitForPong } from '../client/ping.ts';
import { RedisNotFound } from './redis-not-found.ts';

const LIMIT_MS = 5000;

/**
 * Uses the `REDIS_URL` that is set, or fails. Falling back to another server would put tasks
 * where nobody looks for them.
 * @throws RedisNotFound naming the value, its password masked, and the reason.
 */
export async function useConfiguredUrl(url: string): Promise<LocalRedis> {
  try {
    if (!/^(\/|rediss?:\/\/.|unix:\/\/.)/.test(url))
      throw new Error('it must be redis://, rediss:// or unix:// and an address');
    await waitForPong(url, { limitMs: LIMIT_MS, keepTrying: false });
  } catch (error) {
    throw new RedisNotFound(
      `REDIS_URL is ${redactRedisUrl(url)}, which cannot be used: ${errorMessage(error)}.\n` +
        'It is never replaced by another server: correct it, or unset it to have one found.',
      { cause: error },
    );
  }
  return { url, source: 'url', stop: async () => {} };
}
