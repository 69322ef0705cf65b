import { startPrivateRedis } from '@baton/local-redis';
import { expect, test } from 'vitest';
import { readReadiness } from './readiness.ts';
import { closeFixture, connectFixture } from './testing/store-fixture.ts';

test('a process is not ready while Redis hangs, though its reply to the probe would come', async () => {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  expect(await readReadiness(fixture.store)).toMatchObject({ status: 200 });
  // Less than what a command waits.
  await fixture.redis.call('CLIENT', 'PAUSE', '3000', 'ALL');
  expect(await readReadiness(fixture.store)).toEqual({
    status: 503,
    body: { status: 'redis does not answer' },
  });
  await expect.poll(() => readReadiness(fixture.store), { timeout: 10_000 }).toMatchObject({ status: 200 });
  await closeFixture(fixture);
  await server.stop();
});
