import { interactionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { EXPIRE, EXTEND, RELEASE } from '../scripts.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, asks, BOB, codeOf, sleeps } from '../testing/guest.ts';
import { codesOf } from '../testing/wiretap.ts';

const fixture = await openFixture();
const { wiretap, redis } = fixture;
const { ready, leased, deadlines } = fixture.places;

const nothing = { journal: [], drops: [], waits: [] };
const due = async (member: string) => Number(await redis.zscore(deadlines, member));

test('an interaction that was not answered in time ends as a failed effect, and its task is ready', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.with({ interaction: 0 }).open({ waits: [asks('0'), asks('1')] });
  expect(await fixture.sweep()).toBe(true);
  expect(wiretap.last(EXPIRE)).toEqual(['due', 1]);
  const record = await guest.record(taskId);
  expect(JSON.parse(record['j:0']!.slice('llm-'.length))).toMatchObject({ code: 'interaction_expired' });
  expect(record).toMatchObject({ st: 'working', open: '', ev: '2' });
  expect(await redis.zcard(guest.keys.pending)).toBe(0);
  expect(await redis.zscore(ready, guest.member(taskId))).not.toBeNull();
  expect(await due(guest.member(taskId)), 'its own deadline stands').toBe(Number(record['ex']));
});

test('only what is due expires; the rest waits on under its own deadline', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ waits: [sleeps('0', 0), asks('1'), sleeps('2', 70_000)] });
  await fixture.sweep();
  const record = await guest.record(taskId);
  expect(record).toMatchObject({ 'j:0': 'sleep+null', st: 'input_required', ev: '1' });
  expect(record['j:1']).toBeUndefined();
  expect(await due(guest.member(taskId))).toBe(Number(record['at']) + 70_000);
});

test('a task that did not end by its deadline fails with task_expired, and its interactions with it', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.with({ task: 0 }).open();
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['ended']);
  expect(await guest.tasks.read(ANN, taskId)).toMatchObject({
    status: 'failed',
    error: { code: 'task_expired', taskId },
  });
  expect(await codeOf(guest.answer(taskId))).toBe('interaction_expired');
  expect(await redis.hget(guest.keys.record, 'open')).toBe('0');
  expect(await redis.zcard(deadlines)).toBe(0);
});

test('an early call changes nothing but a deadline that stood too early', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  const member = guest.member(taskId);
  const before = await fixture.contents();
  await redis.zadd(deadlines, 0, member);
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['early']);
  await redis.del(fixture.places.swept);
  expect(await fixture.contents()).toEqual(before);
});

test.each(['ended', 'gone'])('a deadline of a task that is %s is taken out', async (how) => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  if (how === 'ended') await guest.tasks.cancel(ANN, taskId);
  else await redis.del(guest.keys.task(taskId));
  await redis.zadd(deadlines, 0, guest.member(taskId));
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['gone']);
  expect(await redis.zcard(deadlines)).toBe(0);
});

test('what falls due while a segment runs is left to it', async () => {
  const guest = await fixture.guest();
  await guest.open({ waits: [sleeps('0', 0)], ready: true });
  await fixture.take();
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['due', 0]);
  expect(await redis.zcard(ready)).toBe(0);
});

test('RELEASE ends the lease and the task is ready again after the pause, not before', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await (await fixture.take()).release(60_000);
  expect(await redis.zcard(leased)).toBe(0);
  expect(await due(guest.member(taskId))).toBe(Number((await guest.record(taskId))['wk']));
  await redis.zadd(deadlines, 0, guest.member(taskId));
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['early']);
  expect(await due(guest.member(taskId)), 'the pause stands').toBe(
    Number((await guest.record(taskId))['wk']),
  );

  await redis.hset(guest.keys.task(taskId), 'wk', 1);
  await redis.zadd(deadlines, 0, guest.member(taskId));
  await fixture.sweep();
  expect(wiretap.last(EXPIRE)).toEqual(['due', 1]);
  const again = await fixture.take();
  expect(again.state.tries, 'it is counted').toBe(2);
  expect(await again.park(nothing)).toBe('parked');
  await again.release(1);
  expect(wiretap.codes(RELEASE)).toContain('released');
});

test('a pause is never put off by a deadline that is extended meanwhile', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await (await fixture.take()).release(500);
  const wake = Number((await guest.record(taskId))['wk']);
  await guest.interactions.extend(ANN, interactionId(taskId, 1), 3_600_000);
  expect(await due(guest.member(taskId))).toBeLessThanOrEqual(wake);
});

test('an answer wakes a task out of its pause', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ ready: true });
  await (await fixture.take()).release(60_000);
  await guest.answer(taskId);
  await (await fixture.take()).settle({ status: 'completed', result: {} });
});

test('EXTEND counts from now and never past the end of the task', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  const id = interactionId(taskId, 1);
  const record = await guest.record(taskId);
  const until = await guest.interactions.extend(ANN, id, 7_200_000);
  expect(until).toBeGreaterThanOrEqual(Number(record['at']) + 7_200_000);
  expect(await guest.interactions.extend(ANN, id, 999_999_999)).toBe(Number(record['ex']));
  expect((await guest.tenant.listing.interaction(ANN, id)).expiresAt).toBe(Number(record['ex']));
  const soon = await guest.interactions.extend(ANN, id, 30_000);
  expect(await due(guest.member(taskId)), 'a deadline that comes nearer is kept').toBeLessThanOrEqual(soon);
});

test("EXTEND refuses what is not pending, and what is not the caller's as what does not exist", async () => {
  const guest = await fixture.guest();
  const extend = (taskId: string, number = 1, as = ANN) =>
    codeOf(guest.interactions.extend(as, interactionId(taskId, number), 1_000));
  const answered = await guest.open();
  await guest.answer(answered);
  expect(await extend(answered)).toBe('interaction_already_answered');
  const cancelled = await guest.open();
  await guest.tasks.cancel(ANN, cancelled);
  expect(await extend(cancelled)).toBe('interaction_cancelled');
  const late = await guest.with({ interaction: 0 }).open();
  expect(await extend(late)).toBe('interaction_expired');
  const pending = await guest.open();
  expect(await extend(pending, 2)).toBe('interaction_not_found');
  expect(await extend(pending, 1, BOB)).toBe('interaction_not_found');
  expect(await extend(pending)).toBe('done');
});

test('every code of EXPIRE, RELEASE and EXTEND was reached', async () => {
  const guest = await fixture.guest();
  await guest.open({ ready: true });
  const segment = await fixture.take();
  await fixture.shard.reload(segment);
  await segment.release(1);
  expect(wiretap.codes(EXPIRE)).toEqual(codesOf(EXPIRE));
  expect(wiretap.codes(RELEASE)).toEqual(codesOf(RELEASE));
  expect(wiretap.codes(EXTEND)).toEqual(codesOf(EXTEND));
});
