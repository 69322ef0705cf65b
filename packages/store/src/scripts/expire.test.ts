import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { EXPIRE, EXTEND_INTERACTION, RELEASE_TASK } from './registry.ts';
import { openFixture } from '../testing/fixture.ts';
import { taskRef } from '../records/keys.ts';
import { AGENT, ANN, llmWait, BOB, errorCode, type TestTenant, sleepWait } from '../testing/test-tenant.ts';
import { documentedCodes } from '../testing/script-interceptor.ts';

const fixture = await openFixture();
const { interceptor, redis } = fixture;

const due = async (guest: TestTenant, taskId: string) =>
  Number(await redis.zscore(guest.keys.deadlines, taskRef(taskId)));

/** Has a task's deadline stand in the past, whatever it is. */
async function fallDue(guest: TestTenant, taskId: string): Promise<void> {
  await redis.zadd(guest.keys.deadlines, 0, taskRef(taskId));
  await redis.zadd(fixture.shardKeys.due, 0, guest.store.id);
}

test('an interaction that was not answered in time ends as a failed effect, and its task is ready', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest
    .withLifetimes({ interaction: 0 })
    .openTask({ waits: [llmWait('0'), llmWait('1')] });
  await fixture.sweep();
  expect(interceptor.last(EXPIRE)).toEqual(['due', '1 ready']);
  const record = await guest.readRecord(taskId);
  expect(JSON.parse(record['j:0']!.slice('llm-'.length))).toMatchObject({ code: 'interaction_expired' });
  expect(record).toMatchObject({ st: 'working', open: '', ev: '2' });
  expect(await redis.zcard(guest.keys.pending)).toBe(0);
  expect(await guest.queueState(taskId)).toBe('ready');
  expect(await due(guest, taskId), 'its own deadline stands').toBe(Number(record['ex']));
});

test('only what is due expires; the rest waits on under its own deadline', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ waits: [sleepWait('0', 0), llmWait('1'), sleepWait('2', 70_000)] });
  await fixture.sweep();
  const record = await guest.readRecord(taskId);
  expect(record).toMatchObject({ 'j:0': 'sleep+null', st: 'input_required', ev: '1' });
  expect(record['j:1']).toBeUndefined();
  expect(await due(guest, taskId)).toBe(Number(record['at']) + 70_000);
});

test('a task that did not end by its deadline fails with task_expired, and its interactions with it', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.withLifetimes({ task: 0 }).openTask();
  await fixture.sweep();
  expect(interceptor.last(EXPIRE)).toEqual(['ended', '']);
  expect(await guest.tasks.read(ANN, taskId)).toMatchObject({
    status: 'failed',
    error: { code: 'task_expired', taskId },
  });
  expect(await errorCode(guest.answer(taskId))).toBe('interaction_expired');
  expect(await redis.hget(guest.keys.record, 'open')).toBe('0');
  expect(await redis.zcard(guest.keys.deadlines)).toBe(0);
});

test('an early call changes nothing but a deadline that stood too early', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask();
  const before = await fixture.contents();
  await fallDue(guest, taskId);
  await fixture.sweep();
  expect(interceptor.last(EXPIRE)).toEqual(['early']);
  await redis.del(fixture.shardKeys.swept);
  expect(await fixture.contents()).toEqual(before);
});

test('a deadline of a task that has ended is taken out', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask();
  await guest.tasks.cancel(ANN, taskId);
  await fallDue(guest, taskId);
  await fixture.sweep();
  expect(interceptor.last(EXPIRE)).toEqual(['gone', '']);
  expect(await redis.zcard(guest.keys.deadlines)).toBe(0);
  expect(await redis.hget(guest.keys.record, 'open')).toBe('0');
});

test('a task whose record is gone before its deadline gives its place back in every counter and index', async () => {
  const guest = await fixture.createTenant({ pendingInteractions: 2, openTasks: 2 });
  const taskId = await guest.openTask({ waits: [llmWait('0'), llmWait('1')], ready: true });
  await guest.store.queries.pending(AGENT, { claim: { max: 1, leaseMs: 60_000 } });
  await redis.del(guest.keys.task(taskId));
  expect(await errorCode(guest.openTask()), 'it still counts').toBe('limit_pending');
  await fallDue(guest, taskId);
  await fixture.sweep();
  for (const set of [guest.keys.pending, guest.keys.claims, guest.keys.ready, guest.keys.deadlines])
    expect(await redis.zcard(set)).toBe(0);
  expect(await redis.hget(guest.keys.record, 'open')).toBe('0');
  await fallDue(guest, taskId);
  await redis.zrem(guest.keys.deadlines, taskRef(taskId));
  await fixture.sweep();
  expect(await redis.hget(guest.keys.record, 'open'), 'once').toBe('0');
  expect(await errorCode(guest.openTask({ waits: [llmWait('0'), llmWait('1')] }))).toBe('done');
});

test('what falls due while a segment runs is left to it', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ waits: [sleepWait('0', 0)], ready: true });
  await fixture.leaseOne();
  await fixture.sweep();
  expect(interceptor.last(EXPIRE)).toEqual(['due', '']);
  expect(await guest.queueState(taskId)).toBe('batch');
});

test('RELEASE_TASK leaves the task in its batch, makes its holder stale, and does not count the try', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ ready: true });
  const segment = await fixture.leaseOne();
  expect(await segment.release()).toBe('released');
  expect(await guest.queueState(taskId)).toBe('batch');
  expect(await segment.release()).toBe('stale');
  expect((await fixture.shard.reload(segment))!.task.tries).toBe(1);
});

test('EXTEND_INTERACTION counts from now and never past the end of the task', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask();
  const id = formatInteractionId(taskId, 1);
  const record = await guest.readRecord(taskId);
  const until = await guest.interactions.extend(ANN, id, 7_200_000);
  expect(until).toBeGreaterThanOrEqual(Number(record['at']) + 7_200_000);
  expect(await guest.interactions.extend(ANN, id, 999_999_999)).toBe(Number(record['ex']));
  expect((await guest.store.queries.interaction(ANN, id)).expiresAt).toBe(Number(record['ex']));
  const soon = await guest.interactions.extend(ANN, id, 30_000);
  expect(await due(guest, taskId), 'a deadline that comes nearer is kept').toBeLessThanOrEqual(soon);
});

test("EXTEND_INTERACTION refuses what is not pending, and what is not the caller's as what does not exist", async () => {
  const guest = await fixture.createTenant();
  const extend = (taskId: string, number = 1, as = ANN) =>
    errorCode(guest.interactions.extend(as, formatInteractionId(taskId, number), 1_000));
  const answered = await guest.openTask();
  await guest.answer(answered);
  expect(await extend(answered)).toBe('interaction_already_answered');
  const cancelled = await guest.openTask();
  await guest.tasks.cancel(ANN, cancelled);
  expect(await extend(cancelled)).toBe('interaction_cancelled');
  const late = await guest.withLifetimes({ interaction: 0 }).openTask();
  expect(await extend(late)).toBe('interaction_expired');
  const pending = await guest.openTask();
  expect(await extend(pending, 2)).toBe('interaction_not_found');
  expect(await extend(pending, 1, BOB)).toBe('interaction_not_found');
  expect(await extend(pending)).toBe('done');
});

test('every code of EXPIRE, RELEASE_TASK and EXTEND_INTERACTION was reached', () => {
  expect(interceptor.codes(EXPIRE)).toEqual(documentedCodes(EXPIRE));
  expect(interceptor.codes(RELEASE_TASK)).toEqual(documentedCodes(RELEASE_TASK));
  expect(interceptor.codes(EXTEND_INTERACTION)).toEqual(documentedCodes(EXTEND_INTERACTION));
});
