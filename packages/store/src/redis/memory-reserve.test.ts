import { expect, test } from 'vitest';
import { openFixture } from '../testing/store-fixture.ts';
import { formatInteractionId } from '@baton/protocol';
import { ANN, errorCode, llmWait } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;

async function used(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

/** Fills Redis by another means until so much of its memory is free, as a share of all. */
async function leaveFree(free: number): Promise<void> {
  for (let n = 0; n < 100; n++) await redis.append('junk', 'x'.repeat(10_000));
  await redis.config('SET', 'maxmemory', Math.round((await used()) / (1 - free)));
}

test('while only the reserve is left new work is refused, and what was accepted goes on: answers, segments, ends, deletions', async () => {
  const testTenant = await fixture.createTenant();
  const { projects, apiKeys, sessionSubscriptions, interactions } = testTenant.store;
  const [taskId, other, third] = [
    await testTenant.openTask(),
    await testTenant.openTask(),
    await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] }),
  ];
  await testTenant.answer(taskId);
  const segment = await fixture.loadSegment();
  await projects.commit('p', undefined, { set: [['t:1', 'x']], delete: [] });
  const { id } = await apiKeys.create({ name: 'one', scopes: ['mcp'] });
  const caller = await testTenant.caller();
  await leaveFree(0.07);
  try {
    await expect.poll(() => errorCode(testTenant.openTask()), { timeout: 5_000 }).toBe('unavailable');
    expect(fixture.store.redisMemory).toMatchObject({ usable: true, refuses: 'new calls' });
    expect(fixture.store.redisMemory.usedShare).toBeGreaterThan(0.9);
    const chunk = { interactionId: formatInteractionId(third, 1), sequence: 0, delta: 'x' };
    const newWork = [
      interactions.appendChunk(caller, chunk),
      projects.commit('p', { version: '1' }, { set: [['t:2', 'x']], delete: [] }),
      apiKeys.create({ name: 'two', scopes: ['mcp'] }),
      sessionSubscriptions.subscribe(ANN, 'session-1', 'baton://projects'),
    ];
    expect(await Promise.all(newWork.map(errorCode))).toEqual(newWork.map(() => 'unavailable'));
    expect(await errorCode(testTenant.answer(other))).toBe('done');
    expect(await segment.park({ journal: [], drops: [], waits: [llmWait('3')] })).toBe('parked');
    const answered = await fixture.loadSegment();
    expect(await answered.settle({ status: 'completed', result: {} })).toBe('settled');
    await testTenant.tasks.cancel(ANN, third);
    await projects.delete('p');
    await apiKeys.revoke(id);
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});

test('what somebody paid for is refused last, with nothing taken', async () => {
  const testTenant = await fixture.createTenant();
  // Redis is asked now and then: the room that the test before has freed is seen then.
  await expect.poll(() => errorCode(testTenant.openTask()), { timeout: 5_000 }).toBe('done');
  const taskId = await testTenant.openTask();
  await leaveFree(0.02);
  try {
    await expect.poll(() => errorCode(testTenant.answer(taskId)), { timeout: 5_000 }).toBe('unavailable');
    const refused = await testTenant.answer(taskId).catch((error: unknown) => error);
    expect(refused).toMatchObject({ details: { taken: false } });
    expect(String(refused)).toMatch(/memory is full.*Nothing was changed/);
    expect(fixture.store.redisMemory.refuses).toBe('new calls and answers');
    await redis.del('junk');
    await redis.config('SET', 'maxmemory', 0);
    await expect.poll(() => errorCode(testTenant.answer(taskId)), { timeout: 5_000 }).toBe('done');
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});
