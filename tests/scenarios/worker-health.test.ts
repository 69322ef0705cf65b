import { startPrivateRedis } from '@baton/local-redis';
import { expect, test } from 'vitest';
import { BatonProcess } from '../processes/baton-process.ts';

test('a worker says where it listens, and reports there whether it takes jobs, while Redis stops and starts', async () => {
  const redis = await startPrivateRedis({});
  const environment = { REDIS_URL: redis.url, BATON_SECRET: 'a secret of the tests', BATON_HEALTH_PORT: '0' };
  const worker = await BatonProcess.start('worker', environment, /^baton worker listens on (http:\S+)$/);
  const ask = async (path: string) =>
    (await fetch(`${worker.url.replace('0.0.0.0', '127.0.0.1')}${path}`)).status;
  try {
    expect(await ask('/readyz')).toBe(200);
    process.kill(redis.pid, 'SIGSTOP');
    expect(await ask('/readyz')).toBe(503);
    expect(await ask('/healthz')).toBe(200);
    process.kill(redis.pid, 'SIGCONT');
    await expect.poll(() => ask('/readyz'), { timeout: 10_000 }).toBe(200);
  } finally {
    expect(await worker.stop('SIGTERM')).toBe(0);
    await redis.stop();
  }
});
