import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { errorCode } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;

async function used(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

test('while only the reserve is left new work is refused, and what was accepted goes on, jobs and next requests included', async () => {
  const testTenant = await fixture.createTenant();
  const [taskId, other] = [await testTenant.openTask(), await testTenant.openTask()];
  await testTenant.answer(taskId);
  const segment = await fixture.loadSegment();
  for (let n = 0; n < 100; n++) await redis.append('junk', 'x'.repeat(10_000));
  // Three in a hundred are left, less than the reserve.
  await redis.config('SET', 'maxmemory', Math.round((await used()) / 0.97));
  try {
    await expect.poll(() => errorCode(testTenant.openTask()), { timeout: 5_000 }).toBe('unavailable');
    const refused = await testTenant.answer(other).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unavailable', details: { taken: false } });
    expect(String(refused)).toMatch(/memory is full.*Nothing was changed/);
    expect(await segment.park({ journal: [], drops: [], waits: [] })).toBe('parked');
    await redis.del('junk');
    await redis.config('SET', 'maxmemory', 0);
    await expect.poll(() => errorCode(testTenant.answer(other)), { timeout: 5_000 }).toBe('done');
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});
