import { expect, test } from 'vitest';
import { ACCEPT } from '../scripts.ts';
import type { Segment } from '../segment.ts';
import { openFixture } from '../testing/fixture.ts';

const fixture = await openFixture();
const { redis, shard, wiretap } = fixture;

/** A shift: what is handed to it, in turn, and how often it was rung for. */
async function shift() {
  let told = () => {};
  const handed: Segment[] = [];
  const seen = { rung: 0 };
  await shard.attend(
    () => {
      seen.rung++;
      told();
    },
    (segment) => {
      handed.push(segment);
      told();
    },
  );
  /** Acts, and waits until so many calls have come of it. */
  const called = async (act: () => Promise<unknown>, times = 1) => {
    let left = times;
    const heard = new Promise<void>((resolve) => {
      told = () => --left === 0 && resolve();
    });
    await act();
    await heard;
  };
  return { handed, seen, called };
}

test('an answer whose task stands alone hands it over: leased, loaded, and not ready', async () => {
  const guest = await fixture.guest();
  const { handed, seen, called } = await shift();
  const taskId = await guest.open();
  await called(() => guest.answer(taskId, 1, { text: '"\u00fc \\u0000 yes"' }));
  const [segment] = handed;
  expect([segment?.taskId, handed.length, seen.rung]).toEqual([taskId, 1, 0]);
  expect(segment?.state.journal.get('0')).toBe('llm+"\u00fc \\u0000 yes"');
  expect(wiretap.last(ACCEPT), 'no job is called for').toEqual(['accepted', 1, 0]);
  expect(await redis.zcard(fixture.places.ready)).toBe(0);
  expect(await fixture.isLeased(guest.member(taskId))).toBe(true);
  expect(await segment?.settle({ status: 'completed', result: {} })).toBe('settled');
});

test('what is answered together is handed over together, each with its own', async () => {
  const guest = await fixture.guest();
  const { handed, seen, called } = await shift();
  const taskIds = await Promise.all(Array.from({ length: 8 }, () => guest.open()));
  await called(
    () => Promise.all(taskIds.map((taskId) => guest.answer(taskId, 1, { text: `"${taskId}"` }))),
    8,
  );
  expect([handed.length, seen.rung]).toEqual([8, 0]);
  for (const segment of handed) expect(segment.state.journal.get('0')).toBe(`llm+"${segment.taskId}"`);
  expect(new Set(handed.map(({ taskId }) => taskId))).toEqual(new Set(taskIds));
});

test('beside what is ready an answer stands ready too, and waits for its turn', async () => {
  const guest = await fixture.guest();
  const { handed, seen, called } = await shift();
  const first = await guest.open();
  await called(async () => void (await guest.open({ ready: true })));
  await guest.answer(first);
  expect([handed.length, seen.rung]).toEqual([0, 1]);
  await fixture.take();
  expect((await fixture.take()).taskId).toBe(first);
});

test('beside 32 that a worker holds an answer stands ready, and rings', async () => {
  const guest = await fixture.guest();
  const { handed, seen, called } = await shift();
  const taskIds = await Promise.all(Array.from({ length: 34 }, () => guest.open()));
  await called(() => Promise.all(taskIds.slice(1).map((taskId) => guest.answer(taskId))), 33);
  expect([handed.length, seen.rung]).toEqual([32, 1]);
  await (await fixture.take()).settle({ status: 'completed', result: {} });
  await handed[0]?.settle({ status: 'completed', result: {} });
  await called(() => guest.answer(taskIds[0] ?? ''));
  expect([handed.length, seen.rung]).toEqual([33, 1]);
});

test('a task that was handed to a worker which did not get it is ready again after five seconds', async () => {
  const guest = await fixture.guest();
  const { handed, called } = await shift();
  const taskId = await guest.open();
  await called(() => guest.answer(taskId));
  const left = Number(await redis.zscore(fixture.places.leased, guest.member(taskId))) - Date.now();
  expect(left).toBeGreaterThan(3_000);
  expect(left).toBeLessThanOrEqual(5_000);
  await fixture.endLease(guest.member(taskId));
  await fixture.sweep();
  const again = await fixture.take();
  expect(await handed[0]?.settle({ status: 'completed', result: {} }), 'its fence has moved').toBe('stale');
  expect(await again.settle({ status: 'completed', result: {} })).toBe('settled');
});

test('a worker that runs it for long holds it for longer, unless it is over', async () => {
  const guest = await fixture.guest();
  const { handed, called } = await shift();
  const taskId = await guest.open();
  await called(() => guest.answer(taskId));
  const [segment] = handed;
  if (segment === undefined) throw new Error('nothing was handed over');
  await shard.hold(segment);
  const left = Number(await redis.zscore(fixture.places.leased, guest.member(taskId))) - Date.now();
  expect(left).toBeGreaterThan(20_000);
  await segment.settle({ status: 'completed', result: {} });
  await shard.hold(segment);
  expect(await fixture.isLeased(guest.member(taskId))).toBe(false);
});

test('where the worker has gone without a word, the task stands ready at once', async () => {
  const guest = await fixture.guest();
  await shard.leave();
  await redis.zadd(fixture.places.shifts, Date.now() + 60_000, 'gone');
  const taskId = await guest.open();
  await guest.answer(taskId);
  expect(await redis.zrange(fixture.places.ready, '0', '-1')).toEqual([guest.member(taskId)]);
  expect(await fixture.isLeased(guest.member(taskId))).toBe(false);
});

test('a task of more than 32 KiB is fetched by whom it rings for', async () => {
  const guest = await fixture.guest();
  const { handed, seen, called } = await shift();
  const taskId = await guest.open({ input: { text: 'x'.repeat(40_000) } });
  await called(() => guest.answer(taskId));
  expect([handed.length, seen.rung]).toEqual([0, 1]);
  expect((await fixture.take()).taskId).toBe(taskId);
});
