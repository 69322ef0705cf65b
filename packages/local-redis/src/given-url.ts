import { redacted } from './endpoint.ts';
import type { LocalRedis } from './local-redis.ts';
import { messageOf } from './message-of.ts';
import { untilPong } from './ping.ts';
import { RedisNotFound } from './redis-not-found.ts';

const LIMIT_MS = 5000;

/**
 * The first link: a `REDIS_URL` that is set is used or failed on. Falling back to another server would put tasks
 * where nobody looks for them.
 * @throws RedisNotFound naming the value, its password masked, and the reason.
 */
export async function useGivenUrl(url: string): Promise<LocalRedis> {
  try {
    await untilPong(url, { limitMs: LIMIT_MS, keepTrying: false });
  } catch (error) {
    throw new RedisNotFound(
      `REDIS_URL is ${redacted(url)}, which cannot be used: ${messageOf(error)}.\n` +
        'It is never replaced by another server: correct it, or unset it to have one found.',
      { cause: error },
    );
  }
  return { url, source: 'url', stop: async () => {} };
}
