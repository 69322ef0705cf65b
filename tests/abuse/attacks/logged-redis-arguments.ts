import { Redis } from 'ioredis';
import { holdsWithin } from '../../harness/poll.ts';
import type { Attack } from '../target/attack.ts';

const TEXT = 'a title that no log may hold';

/** An error of Redis takes what a caller said into the log, by way of the arguments of the command that failed. */
export const loggedRedisArguments: Attack = {
  name: 'texts of callers in the log',
  withoutGuard: [
    { file: 'program', from: 'serializers: { err: (error) => serializeError(error) },', to: '' },
  ],
  async run(target) {
    const tenant = await target.createTenant();
    const { key } = await target.createKey(tenant);
    const put = (title: string) =>
      target.send('PUT', '/v1/projects/p', {
        key,
        body: { master: { tasks: [{ id: 1, title, description: '' }] } },
      });
    await put('before');
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    // The index of projects is of another type now, so that the script of the next change fails.
    const [index = ''] = await redis.keys(`*:t:${tenant}:projects`);
    await redis.set(index, 'no sorted set');
    redis.disconnect();
    const reply = await put(TEXT);
    const gains: string[] = [];
    if (reply.status !== 500) gains.push('the call did not fail');
    const logged = (text: string) =>
      target.gateways.some(({ output }) => output.some((line) => line.includes(text)));
    if (!(await holdsWithin(async () => logged('WRONGTYPE'), 5_000)))
      gains.push('the error of Redis is not in the log');
    if (logged(TEXT)) gains.push('the log has the title');
    return gains;
  },
};
