import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { CANCEL, READ_TASK_AND_REGISTER_WAITER } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import type { Identity } from '../identity/identity.ts';
import { ADMIN, AGENT, ANN, llmWait, BOB, errorCode, sleepWait } from '../testing/test-tenant.ts';
import { openWorkflowOf, recordedEnd } from '../testing/workflow-step.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

test('CANCEL ends a task wherever it stands, and leaves it in no set but the index of tasks', async () => {
  const testTenant = await fixture.createTenant();
  const waits = [llmWait('0'), sleepWait('1', 9_000)];
  const parked = await testTenant.openTask({ waits });
  const waiting = await testTenant.openTask({ waits, ready: true });
  await testTenant.answer(parked);
  const segment = await fixture.loadSegment();
  const third = await testTenant.openTask({ waits });
  await testTenant.store.queries.pending.records(AGENT, { claim: { max: 10, leaseMs: 60_000 } });
  for (const taskId of [parked, waiting, third]) {
    await testTenant.tasks.cancel(ANN, taskId);
    expect(await testTenant.tasks.read(ANN, taskId)).toMatchObject({
      status: 'cancelled',
      error: { code: 'task_cancelled' },
    });
  }
  for (const taskId of [parked, waiting, third]) expect(await testTenant.queueState(taskId)).toBeUndefined();
  for (const key of [
    testTenant.keys.ready,
    testTenant.keys.deadlines,
    testTenant.keys.pending,
    testTenant.keys.claims,
  ])
    expect(await redis.zcard(key)).toBe(0);
  expect(await redis.zcard(testTenant.keys.tasks)).toBe(3);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
  expect(await segment.settle({ status: 'completed', result: {} })).toBe('stale');
});

test('a task ends once: it is not cancelled after its end, and says how it ended', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true });
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  const before = await fixture.contents();
  await expect(testTenant.tasks.cancel(ANN, taskId)).rejects.toMatchObject({
    code: 'task_ended',
    details: { status: 'completed' },
  });
  expect(await fixture.contents()).toEqual(before);
});

test('a cancelled interaction becomes a failed effect, and its task goes on', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await testTenant.interactions.cancel(ANN, formatInteractionId(taskId, 1));
  expect(recorder.last(CANCEL)).toEqual(['cancelled', '1 ready', '', '']);
  const record = await testTenant.readRecord(taskId);
  expect(JSON.parse(record['j:0']!.slice('llm-'.length))).toMatchObject({ code: 'interaction_cancelled' });
  expect(record).toMatchObject({ st: 'input_required', ev: '1' });
  expect(await redis.zcard(testTenant.keys.pending)).toBe(1);
  const segment = await fixture.loadSegment();
  await testTenant.interactions.cancel(ANN, formatInteractionId(taskId, 2));
  expect(recorder.last(CANCEL), 'a running segment finds it itself').toEqual(['cancelled', '', '', '']);
  expect(await segment.park({ journal: [], drops: [], waits: [] })).toBe('again');
});

test('an interaction is cancelled once, while it is pending, and only by those who may see it', async () => {
  const testTenant = await fixture.createTenant();
  const cancel = (taskId: string, number = 1, as = ANN) =>
    errorCode(testTenant.interactions.cancel(as, formatInteractionId(taskId, number)));
  const answered = await testTenant.openTask();
  await testTenant.answer(answered);
  expect(await cancel(answered)).toBe('interaction_already_answered');
  const late = await testTenant.withLifetimes({ interaction: 0 }).openTask();
  await fixture.sweep();
  expect(await cancel(late)).toBe('interaction_expired');
  const pending = await testTenant.openTask();
  expect(await cancel(pending, 2)).toBe('interaction_not_found');
  expect(await cancel(pending, 1, BOB)).toBe('interaction_not_found');
  expect(await cancel(pending, 1, AGENT), 'it may see it, and answer it').toBe('insufficient_scope');
  expect(await cancel(pending, 1, ADMIN)).toBe('done');
  expect(await cancel(pending)).toBe('interaction_cancelled');
});

test("an agent that may see another's task never ends it, and an admin does, whether it may see it otherwise or not", async () => {
  const testTenant = await fixture.createTenant();
  const adminAlone: Identity = { principal: 'bob', scopes: new Set(['mcp', 'admin']) };
  for (const admin of [ADMIN, adminAlone]) {
    const taskId = await testTenant.openTask();
    expect(await errorCode(testTenant.tasks.cancel(AGENT, taskId))).toBe('insufficient_scope');
    expect(recorder.last(CANCEL)).toEqual(['insufficient_scope', 'admin']);
    expect((await testTenant.tasks.read(ANN, taskId)).status).toBe('input_required');
    expect(await errorCode(testTenant.tasks.cancel(admin, taskId))).toBe('done');
  }
  const own: Identity = { ...ANN, scopes: new Set(['agent']) };
  expect(await errorCode(testTenant.tasks.cancel(own, await testTenant.openTask()))).toBe('done');
});

test('CANCEL and READ_TASK_AND_REGISTER_WAITER reply to a principal that may not see a task exactly as for a task that never existed', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const taskId = await testTenant.openTask();
  const absent = `ffffffff${taskId.slice(8)}`;
  for (const attempt of [
    () => testTenant.tasks.cancel(BOB, taskId),
    () => testTenant.tasks.cancel(ANN, absent),
    () => other.tasks.cancel(AGENT, taskId),
  ]) {
    expect(await errorCode(attempt())).toBe('task_not_found');
    expect(recorder.last(CANCEL)).toEqual(['task_not_found']);
  }
  for (const attempt of [
    () => testTenant.tasks.read(BOB, taskId, 'inbox'),
    () => testTenant.tasks.read(ANN, absent, 'inbox'),
    () => other.tasks.read(AGENT, taskId, 'inbox'),
  ]) {
    expect(await errorCode(attempt())).toBe('task_not_found');
    expect(recorder.last(READ_TASK_AND_REGISTER_WAITER)).toEqual(['task_not_found']);
  }
  expect((await testTenant.readRecord(taskId))['w'], 'a stranger is never told of it').toBeUndefined();
});

test('READ_TASK_AND_REGISTER_WAITER replies with the pending requests as they were parked, and never registers a waiter for a task that has ended', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({
    waits: [llmWait('0', 'Grüße, "you" {}\n'), sleepWait('1', 9_000)],
  });
  const view = await testTenant.tasks.read(ANN, taskId, 'inbox-1');
  expect(view).toMatchObject({ status: 'input_required', principal: 'ann', operation: 'echo', seen: 0 });
  const [pending, ...more] = view.status === 'input_required' ? view.pending : [];
  expect(more).toEqual([]);
  const wait = llmWait('0', 'Grüße, "you" {}\n');
  expect(pending).toMatchObject({
    interactionId: formatInteractionId(taskId, 1),
    request: 'request' in wait && wait.request,
  });
  const inShort = await testTenant.tasks.read(ANN, taskId, '', 'summaries');
  expect('pending' in inShort && inShort.pending).toMatchObject([
    { interactionId: formatInteractionId(taskId, 1), request: { call: { serviceType: 'streamText' } } },
  ]);
  expect(JSON.stringify(view)).toContain('Grüße');
  expect(JSON.stringify(inShort), 'what is read in short has no request').not.toContain('Grüße');
  await testTenant.tasks.read(AGENT, taskId, 'inbox-2');
  await testTenant.tasks.read(ANN, taskId, 'inbox-1');
  expect((await testTenant.readRecord(taskId))['w']).toBe('inbox-1 inbox-2');
  await testTenant.tasks.cancel(ANN, taskId);
  await testTenant.tasks.read(ANN, taskId, 'inbox-1');
  expect((await testTenant.readRecord(taskId))['w']).toBe('');
});

test('a cancelled step of a workflow is told to the workflow', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const workflow = await openWorkflowOf(testTenant, taskId);
  await testTenant.tasks.cancel(ANN, taskId);
  expect(await recordedEnd(testTenant, workflow, taskId)).toMatchObject({ status: 'cancelled' });
});

test('every code of CANCEL was reached', () => {
  expect(recorder.codes(CANCEL)).toEqual(documentedReplyCodes(CANCEL));
});
