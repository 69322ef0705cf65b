import { taskRef } from '../records/keys.ts';
import { expect, test } from 'vitest';
import type { Limits } from '@baton/protocol';
import { openFixture } from '../testing/fixture.ts';
import { errorCode, newTask } from '../testing/test-tenant.ts';

const fixture = await openFixture();
const { redis } = fixture;
const AT_ONCE = 8;

/** Up to sixteen runs of one turn are one command of Redis: what they share must be as exact as one by one. */
test.each<[string, Partial<Limits>, number, string]>([
  ['pendingInteractions', { pendingInteractions: 5 }, 5, 'limit_pending'],
  ['openTasks', { openTasks: 5 }, 5, 'limit_pending'],
  ['burst', { requestsPerSecond: 1, burst: 5 }, 5, 'limit_rate'],
])('opens that come at once fill the limit %s, and no more', async (_limit, limits, most, code) => {
  // A script that the server does not know yet is a command more.
  await (await fixture.createTenant()).openTask();
  const guest = await fixture.createTenant(limits);
  const callers = await Promise.all(Array.from({ length: AT_ONCE }, () => guest.caller()));
  const before = await evals();
  const codes = await Promise.all(callers.map((caller) => errorCode(guest.openTask({}, caller))));
  expect((await evals()) - before, 'they were one command').toBe(1);
  expect(codes.filter((one) => one === 'done')).toHaveLength(most);
  expect(new Set(codes.filter((one) => one !== 'done'))).toEqual(new Set([code]));
  expect(await redis.zcard(guest.keys.pending)).toBe(most);
  expect(await redis.hget(guest.keys.record, 'open')).toBe(String(most));
});

test('a tenant that spends its limit takes nothing from another in the same command', async () => {
  const [small, wide] = [await fixture.createTenant({ openTasks: 1 }), await fixture.createTenant()];
  const guests = [small, wide, small, wide, small, wide];
  const callers = await Promise.all(guests.map((guest) => guest.caller()));
  const codes = await Promise.all(guests.map((guest, n) => errorCode(guest.openTask({}, callers[n]))));
  expect(codes).toEqual(['done', 'done', 'limit_pending', 'done', 'limit_pending', 'done']);
  const counts = [small, wide].map((guest) => redis.hget(guest.keys.record, 'open'));
  expect(await Promise.all(counts)).toEqual(['1', '3']);
});

test('answers that come at once ask for one job of each tenant, and each task is taken once', async () => {
  const guests = [await fixture.createTenant(), await fixture.createTenant()];
  const tasks: { guest: (typeof guests)[number]; taskId: string }[] = [];
  for (let n = 0; n < 6; n++) {
    const guest = guests[n % 2]!;
    tasks.push({ guest, taskId: await guest.openTask(newTask()) });
  }
  const callers = await Promise.all(tasks.map(({ guest }) => guest.caller()));
  await Promise.all(tasks.map(({ guest, taskId }, n) => guest.answer(taskId, 1, { as: callers[n]! })));
  for (const guest of guests) {
    expect(await redis.hgetall(guest.keys.jobs)).toEqual({ ready: '1', next: '1' });
    const taken = (await fixture.lease(10)).map(({ taskId }) => taskId);
    expect(taken.sort()).toEqual(tasks.flatMap((task) => (task.guest === guest ? [task.taskId] : [])).sort());
  }
});

test('ends that come at once leave nothing of their tasks in any set', async () => {
  const guest = await fixture.createTenant();
  const taskIds: string[] = [];
  for (let n = 0; n < 5; n++) taskIds.push(await guest.openTask({ waits: [], ready: true }));
  const segments = await fixture.lease(10);
  const ends = await Promise.all(
    segments.map((segment) =>
      segment.settle({ status: 'completed', result: { n: taskRef(segment.taskId) } }),
    ),
  );
  expect(ends).toEqual(taskIds.map(() => 'settled'));
  const { deadlines, ready, pending } = guest.keys;
  expect(await Promise.all([deadlines, ready, pending].map((set) => redis.zcard(set)))).toEqual([0, 0, 0]);
  expect(Object.keys(await redis.hgetall(guest.keys.jobs)).sort(), 'the batch has ended').toEqual([
    'next',
    'ready',
  ]);
  expect(await redis.hget(guest.keys.record, 'open')).toBe('0');
});

async function evals(): Promise<number> {
  const info = await redis.info('commandstats');
  return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}
