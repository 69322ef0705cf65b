import { expect, test } from 'vitest';
import { openFixture } from '../testing/fixture.ts';

const fixture = await openFixture();
const { shard, redis } = fixture;

test('brings the task that rang, leased and loaded, and says how many others stand ready', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  const other = await guest.open({ ready: true });
  const { left, segments } = await shard.seize(guest.member(taskId));
  expect([left, segments.map((segment) => segment.taskId)]).toEqual([1, [taskId]]);
  expect(await fixture.isLeased(guest.member(taskId))).toBe(true);
  expect(await segments[0]?.settle({ status: 'completed', result: {} })).toBe('settled');
  expect((await fixture.take()).taskId).toBe(other);
});

test('brings nothing that another has taken, and leaves its lease and its fence alone', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  const held = await fixture.take();
  expect(await shard.seize(guest.member(taskId))).toEqual({ left: 0, segments: [] });
  expect(await fixture.isLeased(guest.member(taskId))).toBe(true);
  expect(await held.settle({ status: 'completed', result: {} })).toBe('settled');
});

test('what is ready but gone leaves no lease behind', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await redis.del(guest.keys.task(taskId));
  expect(await shard.seize(guest.member(taskId))).toEqual({ left: 0, segments: [] });
  expect(await fixture.isLeased(guest.member(taskId))).toBe(false);
});
