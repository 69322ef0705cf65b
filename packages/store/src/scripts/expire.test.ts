import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { EXPIRE, EXTEND_INTERACTION, RELEASE_TASK } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import type { Identity } from '../identity/identity.ts';
import { taskRef } from '../records/keys.ts';
import { AGENT, ANN, llmWait, BOB, errorCode, type TestTenant, sleepWait } from '../testing/test-tenant.ts';
import { openWorkflowOf, recordedEnd } from '../testing/workflow-step.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

const due = async (testTenant: TestTenant, taskId: string) =>
  Number(await redis.zscore(testTenant.keys.deadlines, taskRef(taskId)));

/** Has a task's deadline stand in the past, whatever it is. */
async function fallDue(testTenant: TestTenant, taskId: string): Promise<void> {
  await redis.zadd(testTenant.keys.deadlines, 0, taskRef(taskId));
  await redis.zadd(fixture.shardKeys.due, 0, testTenant.store.id);
}

test('an interaction that was not answered in time ends as a failed effect, and its task is ready', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant
    .withLifetimes({ interaction: 0 })
    .openTask({ waits: [llmWait('0'), llmWait('1')] });
  await fixture.sweep();
  expect(recorder.last(EXPIRE)).toEqual(['due', '1 ready', '']);
  const record = await testTenant.readRecord(taskId);
  for (const at of [0, 1]) {
    const interactionId = formatInteractionId(taskId, at + 1);
    const problem = JSON.parse(record[`j:${at}`]!.slice('llm-'.length));
    expect(problem).toMatchObject({ code: 'interaction_expired', interactionId });
    expect(problem.message).toContain(interactionId);
  }
  expect(record).toMatchObject({ st: 'working', open: '', ev: '2' });
  expect(await redis.zcard(testTenant.keys.pending)).toBe(0);
  expect(await testTenant.queueState(taskId)).toBe('ready');
  expect(await due(testTenant, taskId), 'its own deadline stands').toBe(Number(record['ex']));
});

test('only what is due expires; the rest waits on under its own deadline', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({
    waits: [sleepWait('0', 0), llmWait('1'), sleepWait('2', 70_000)],
  });
  await fixture.sweep();
  const record = await testTenant.readRecord(taskId);
  expect(record).toMatchObject({ 'j:0': 'sleep+null', st: 'input_required', ev: '1' });
  expect(record['j:1']).toBeUndefined();
  expect(await due(testTenant, taskId)).toBe(Number(record['at']) + 70_000);
});

test('a task that did not end by its deadline fails with task_expired, and its interactions with it', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.withLifetimes({ task: 0 }).openTask();
  await fixture.sweep();
  expect(recorder.last(EXPIRE)).toEqual(['ended', '', '', ANN.principal, 'echo 1']);
  expect(await testTenant.tasks.read(ANN, taskId)).toMatchObject({
    status: 'failed',
    error: { code: 'task_expired', taskId },
  });
  expect(await errorCode(testTenant.answer(taskId))).toBe('interaction_expired');
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
  expect(await redis.zcard(testTenant.keys.deadlines)).toBe(0);
});

test('an early call changes nothing but a deadline that stood too early', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const before = await fixture.contents();
  await fallDue(testTenant, taskId);
  await fixture.sweep();
  expect(recorder.last(EXPIRE)).toEqual(['early']);
  await redis.del(fixture.shardKeys.swept);
  expect(await fixture.contents()).toEqual(before);
});

test('a deadline of a task that has ended is taken out', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await testTenant.tasks.cancel(ANN, taskId);
  await fallDue(testTenant, taskId);
  await fixture.sweep();
  expect(recorder.last(EXPIRE)).toEqual(['gone', '']);
  expect(await redis.zcard(testTenant.keys.deadlines)).toBe(0);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
});

test('a task whose record is gone before its deadline gives its place back in every counter and index', async () => {
  const testTenant = await fixture.createTenant({ pendingInteractions: 2, openTasks: 2 });
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')], ready: true });
  await testTenant.store.queries.pending.records(AGENT, { claim: { max: 1, leaseMs: 60_000 } });
  await redis.del(testTenant.keys.task(taskId));
  expect(await errorCode(testTenant.openTask()), 'it still counts').toBe('limit_pending');
  await fallDue(testTenant, taskId);
  await fixture.sweep();
  for (const set of [
    testTenant.keys.pending,
    testTenant.keys.claims,
    testTenant.keys.ready,
    testTenant.keys.deadlines,
  ])
    expect(await redis.zcard(set)).toBe(0);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
  await fallDue(testTenant, taskId);
  await redis.zrem(testTenant.keys.deadlines, taskRef(taskId));
  await fixture.sweep();
  expect(await redis.hget(testTenant.keys.tenant, 'open'), 'once').toBe('0');
  expect(await errorCode(testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] }))).toBe('done');
});

test('what falls due while a segment runs is left to it', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [sleepWait('0', 0)], ready: true });
  await fixture.loadSegment();
  await fixture.sweep();
  expect(recorder.last(EXPIRE)).toEqual(['due', '', '']);
  expect(await testTenant.queueState(taskId)).toBe('batch');
});

test('RELEASE_TASK leaves the task in its batch, makes its holder stale, and does not count the try', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true });
  const segment = await fixture.loadSegment();
  expect(await segment.release()).toBe('released');
  expect(await testTenant.queueState(taskId)).toBe('batch');
  expect(await segment.release()).toBe('stale');
  expect((await fixture.shard.reload(segment))!.task.tries).toBe(1);
});

test('EXTEND_INTERACTION counts from now and never past the end of the task', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const id = formatInteractionId(taskId, 1);
  const record = await testTenant.readRecord(taskId);
  const until = await testTenant.interactions.extend(ANN, id, 7_200_000);
  expect(until).toBeGreaterThanOrEqual(Number(record['at']) + 7_200_000);
  expect(await testTenant.interactions.extend(ANN, id, 999_999_999)).toBe(Number(record['ex']));
  expect((await testTenant.store.queries.interaction(ANN, id)).expiresAt).toBe(Number(record['ex']));
  const soon = await testTenant.interactions.extend(ANN, id, 30_000);
  expect(await due(testTenant, taskId), 'a deadline that comes nearer is kept').toBeLessThanOrEqual(soon);
});

test('EXTEND_INTERACTION gives no earlier deadline to a request that the caller may not take back', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const id = formatInteractionId(taskId, 1);
  const before = Number((await testTenant.store.queries.interaction(ANN, id)).expiresAt);
  expect(await testTenant.interactions.extend(AGENT, id, 1_000)).toBe(before);
  expect(await testTenant.interactions.extend(AGENT, id, 7_200_000)).toBeGreaterThan(before);
  const admin: Identity = { ...AGENT, scopes: new Set(['agent', 'admin']) };
  expect(await testTenant.interactions.extend(admin, id, 1_000)).toBeLessThan(before);
});

test("EXTEND_INTERACTION refuses what is not pending, and what is not the caller's as what does not exist", async () => {
  const testTenant = await fixture.createTenant();
  const extend = (taskId: string, number = 1, as = ANN) =>
    errorCode(testTenant.interactions.extend(as, formatInteractionId(taskId, number), 1_000));
  const answered = await testTenant.openTask();
  await testTenant.answer(answered);
  expect(await extend(answered)).toBe('interaction_already_answered');
  const cancelled = await testTenant.openTask();
  await testTenant.tasks.cancel(ANN, cancelled);
  expect(await extend(cancelled)).toBe('interaction_cancelled');
  const late = await testTenant.withLifetimes({ interaction: 0 }).openTask();
  expect(await extend(late)).toBe('interaction_expired');
  const pending = await testTenant.openTask();
  expect(await extend(pending, 2)).toBe('interaction_not_found');
  expect(await extend(pending, 1, BOB)).toBe('interaction_not_found');
  expect(await extend(pending)).toBe('done');
});

test('a step that expires is told to its workflow', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.withLifetimes({ task: 0 }).openTask();
  const workflow = await openWorkflowOf(testTenant, taskId);
  await fixture.sweep();
  expect(await recordedEnd(testTenant, workflow, taskId)).toMatchObject({
    status: 'failed',
    outcome: { code: 'task_expired' },
  });
});

test('every code of EXPIRE, RELEASE_TASK and EXTEND_INTERACTION was reached', () => {
  expect(recorder.codes(EXPIRE)).toEqual(documentedReplyCodes(EXPIRE));
  expect(recorder.codes(RELEASE_TASK)).toEqual(documentedReplyCodes(RELEASE_TASK));
  expect(recorder.codes(EXTEND_INTERACTION)).toEqual(documentedReplyCodes(EXTEND_INTERACTION));
});
