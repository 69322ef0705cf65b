import { startPrivateRedis, startPrivateValkey } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Store } from '../store.ts';
import { closeFixture, connectFixture, ioredisUrl } from '../testing/store-fixture.ts';
import { errorCode } from '../testing/test-tenant.ts';
import { FsyncUnsupportedError } from './fsync-support.ts';

/** With `fsync` nothing is acknowledged before it is on the disk of Redis. */
const patient = { timeout: 180_000 };
const replication = { replicas: 0, waitMs: 2_000, fsync: true };
const ON_DISK = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

test('work is acknowledged when it is on the disk, and not while it is not', patient, async () => {
  const server = await startPrivateValkey(ON_DISK);
  const fixture = await connectFixture(server.url, { replication });
  const redis = new Redis(ioredisUrl(server.url));
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();

  await redis.config('SET', 'appendfsync', 'no');
  await expect(testTenant.answer(taskId)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^Redis's disk did not confirm this within 2000 ms.*not known; repeat/),
  });
  await redis.config('SET', 'appendonly', 'no');
  await expect(testTenant.answer(taskId)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('appendonly is disabled'),
  });
  await redis.config('SET', 'appendonly', 'yes');
  await redis.config('SET', 'appendfsync', 'always');
  expect(await errorCode(testTenant.answer(taskId)), 'the same answer again').toBe('done');
  redis.disconnect();
  await closeFixture(fixture);
  await server.stop();
});

test.each([
  ['is too old', () => startPrivateRedis({ args: ON_DISK }), 'WAITAOF exists since 7.2'],
  ['has no append-only file', () => startPrivateValkey(['--appendonly', 'no']), 'Set appendonly yes'],
] as const)('a server that %s is refused, saying what to do', patient, async (_what, start, says) => {
  const server = await start();
  const refused = await Store.open({ secret: 's', replica: 'r', url: server.url, replication }).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(FsyncUnsupportedError);
  expect(refused).toMatchObject({
    code: 'unavailable',
    exitCode: 78,
    message: expect.stringContaining(says),
  });
  await server.stop();
});
