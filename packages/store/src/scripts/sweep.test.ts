import { expect, test } from 'vitest';
import { LOAD, SWEEP, TAKE } from '../scripts.ts';
import { run } from '../script.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, sleeps } from '../testing/guest.ts';
import { SEGMENT_LEASE, SWEEP_HOLD, SWEEP_INTERVAL } from '../ttl.ts';

const fixture = await openFixture();
const { wiretap, redis, shard } = fixture;
const { ready, leased, swept } = fixture.places;
const nothing = { journal: [], drops: [], waits: [] };

const clock = async () => {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
};

test('TAKE leases as many as were asked for, says how many are left, and nothing when nothing is ready', async () => {
  const guest = await fixture.guest();
  for (let at = 0; at < 5; at++) await guest.open({ ready: true });
  const before = await clock();
  const { left, segments } = await shard.take(3);
  expect(left).toBe(2);
  expect(segments).toHaveLength(3);
  const leases = (await redis.zrange(leased, '0', '-1', 'WITHSCORES')).filter((_, at) => at % 2).map(Number);
  expect(leases).toHaveLength(3);
  for (const until of leases) {
    expect(until).toBeGreaterThanOrEqual(before + SEGMENT_LEASE);
    expect(until).toBeLessThanOrEqual((await clock()) + SEGMENT_LEASE);
  }
  expect((await shard.take(16)).left).toBe(0);
  expect(await shard.take(16)).toEqual({ left: 0, segments: [] });
});

test('of many takers each task has one', async () => {
  const guest = await fixture.guest();
  const opened = await Promise.all(Array.from({ length: 40 }, () => guest.open({ ready: true })));
  const taken = await Promise.all(Array.from({ length: 20 }, () => shard.take(3)));
  const ids = taken.flatMap(({ segments }) => segments.map(({ taskId }) => taskId));
  expect(ids).toHaveLength(40);
  expect(new Set(ids)).toEqual(new Set(opened));
});

test.each(['cancelled', 'gone'])(
  'LOAD gives nothing for a task that is %s, and ends its lease',
  async (how) => {
    const guest = await fixture.guest();
    const [taskId, other] = [await guest.open({ ready: true }), await guest.open({ ready: true })];
    await run(fixture.connection, TAKE, fixture.places, { most: 2, lease: 60_000 });
    if (how === 'cancelled') await guest.tasks.cancel(ANN, taskId);
    else await redis.del(guest.keys.task(taskId));
    const members = [taskId, other].map((id) => guest.member(id));
    const reply = await run(
      fixture.connection,
      LOAD,
      fixture.places,
      {},
      {
        keys: [taskId, other].map((id) => guest.keys.task(id)),
        args: members,
      },
    );
    expect(reply[0]).toBeNull();
    expect((reply[1] as unknown[]).slice(0, 2)).toEqual([1, 1]);
    expect(await redis.zrange(leased, '0', '-1')).toEqual([members[1]]);
  },
);

test('LOAD carries a journal of some thousand entries', async () => {
  const guest = await fixture.guest();
  const journal = Array.from({ length: 2_500 }, (_, at) => [`${at}`, `read+${at}`] as const);
  await guest.open({ journal, ready: true });
  const { state } = await fixture.take();
  expect(state.journal.size).toBe(2_500);
  expect(state.journal.get('2499')).toBe('read+2499');
});

test('tries counts the segments that were begun and never parked, and begins anew when one parks', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  for (let tries = 1; tries <= 3; tries++) {
    const dying = await fixture.take();
    expect(dying.state.tries).toBe(tries);
    await fixture.endLease(guest.member(taskId));
    await fixture.sweep();
  }
  expect(await (await fixture.take()).park(nothing)).toBe('parked');
  await guest.answer(taskId);
  expect((await fixture.take()).state.tries).toBe(1);
});

test('the lease of a dead holder is given back, one that goes on is not', async () => {
  const guest = await fixture.guest();
  const [dead, alive] = [await guest.open({ ready: true }), await guest.open({ ready: true })];
  await shard.take(2);
  await fixture.endLease(guest.member(dead));
  await fixture.sweep();
  expect(await redis.zrange(ready, '0', '-1')).toEqual([guest.member(dead)]);
  expect(await redis.zrange(leased, '0', '-1')).toEqual([guest.member(alive)]);
});

test('however many sweep, one sweep per interval does the work', async () => {
  const guest = await fixture.guest();
  for (let at = 0; at < 5; at++) await guest.open({ waits: [sleeps('0', 0)] });
  await Promise.all(Array.from({ length: 10 }, () => shard.sweep()));
  const given = wiretap
    .replies(SWEEP)
    .slice(-10)
    .map((reply) => (reply[0] === -1 ? 0 : reply.length - 1));
  expect(given.sort((a, b) => b - a)).toEqual([5, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const left = await redis.pttl(swept);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(SWEEP_INTERVAL);
});

test('a deadline that was given out is held for a while, and given out again when nobody did it', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ waits: [sleeps('0', 0)] });
  const look = () => run(fixture.connection, SWEEP, fixture.places, { interval: 1, most: 10, hold: 200 });
  expect(await look()).toEqual([0, guest.member(taskId)]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await look(), 'it is held').toEqual([0]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await look(), 'its sweeper died').toEqual([0, guest.member(taskId)]);
  expect(SWEEP_HOLD).toBeGreaterThan(SWEEP_INTERVAL);
});

test('a sweep that found as much as it may look at lets the next one go on at once', async () => {
  const guest = await fixture.guest();
  for (let at = 0; at < 5; at++) await guest.open({ waits: [sleeps('0', 0)] });
  const look = () =>
    run(fixture.connection, SWEEP, fixture.places, { interval: 60_000, most: 3, hold: 60_000 });
  expect((await look()).length).toBe(4);
  expect((await look()).length).toBe(3);
  expect(await look()).toEqual([-1]);
});

test('a sweep says whether anything stands ready, so that a lost job is added again', async () => {
  const guest = await fixture.guest();
  expect(await fixture.sweep()).toBe(false);
  await guest.open({ ready: true });
  expect(await fixture.sweep()).toBe(true);
  expect(wiretap.last(SWEEP)).toEqual([1]);
  await fixture.take();
  expect(await fixture.sweep()).toBe(false);
  await guest.open({ waits: [sleeps('0', 0)] });
  expect(await fixture.sweep(), 'what fell due stands ready now').toBe(true);
});
