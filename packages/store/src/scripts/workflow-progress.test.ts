import { formatInteractionId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { documentedReplyCodes } from '../testing/all-scripts.ts';
import { measureStorage, countedStorage } from '../testing/measured-storage.ts';
import { mutateScript } from '../testing/script-mutation.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { AGENT, ANN, BOB, errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { openWorkflow, openWorkflowOf, recordedEnd } from '../testing/workflow-step.ts';
import { READ_PROGRESS, RECORD_PROGRESS, SETTLE } from './registry.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

const update = (testTenant: TestTenant, taskId: string, revision: number, more: object = {}, as = ANN) =>
  testTenant.store.workflowTasks.update(as, taskId, {
    revision,
    sets: [['s0', '{"status":"shown"}']],
    drops: [],
    ...more,
  });

test('a change counts only for what it was made of: of two at once one is told of the other', async () => {
  const testTenant = await fixture.createTenant();
  const workflow = await openWorkflow(testTenant);
  const replies = await Promise.all([update(testTenant, workflow, 0), update(testTenant, workflow, 0)]);
  expect(replies.map(({ kind }) => kind).toSorted()).toEqual(['conflict', 'recorded']);
  const read = await testTenant.store.workflowTasks.read(ANN, workflow);
  expect(read).toMatchObject({ status: 'working', revision: 1, caller: { principal: 'ann' } });
  await update(testTenant, workflow, 1, { sets: [], drops: ['s0'] });
  expect((await testTenant.store.workflowTasks.read(ANN, workflow)).parts.size).toBe(0);
});

test('who may not see a workflow is told that there is none, and who asks for another task of his that it is none', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const workflow = await openWorkflow(testTenant);
  const operation = await testTenant.openTask();
  const attempts: [TestTenant, string, typeof ANN][] = [
    [testTenant, workflow, BOB],
    [other, workflow, AGENT],
    [testTenant, operation, BOB],
    [testTenant, formatInteractionId(workflow, 1), ANN],
  ];
  for (const [where, id, as] of attempts)
    expect(await errorCode(where.store.workflowTasks.read(as, id))).toBe('task_not_found');
  expect(await errorCode(testTenant.store.workflowTasks.read(ANN, operation))).toBe('task_not_workflow');
  expect(await errorCode(update(testTenant, workflow, 0, {}, BOB))).toBe('task_not_found');
  await testTenant.tasks.cancel(ANN, workflow);
  expect(await errorCode(update(testTenant, workflow, 0))).toBe('task_ended');
});

test('what a workflow keeps counts in its tenant, and has a quarter more room than new work', async () => {
  const testTenant = await fixture.createTenant({ storedBytes: 20_000 });
  const workflow = await openWorkflow(testTenant);
  const sets = [['s0', JSON.stringify('x'.repeat(21_000))]] as const;
  expect(await update(testTenant, workflow, 0, { sets })).toEqual({ kind: 'recorded' });
  const more = [['s1', JSON.stringify('x'.repeat(5_000))]] as const;
  expect(await errorCode(update(testTenant, workflow, 1, { sets: more }))).toBe('limit_storage');
  // What replaces something, or takes it away, grows by nothing.
  expect(await update(testTenant, workflow, 1, { sets })).toEqual({ kind: 'recorded' });
  await update(testTenant, workflow, 2, { sets: [], drops: ['s0'] });
  expect(await countedStorage(redis, testTenant.keys)).toEqual(await measureStorage(redis, testTenant.keys));
});

test.each(['settle', 'cancel', 'expire'] as const)(
  'however the task of a step ends (%s), its workflow is told, once',
  async (how) => {
    const testTenant = await fixture.createTenant();
    const expiring = testTenant.withLifetimes({ task: how === 'expire' ? 0 : 60_000 });
    const taskId = await expiring.openTask({ ready: true, waits: [] });
    const workflow = await openWorkflowOf(testTenant, taskId);
    if (how === 'settle')
      await (await fixture.loadSegment()).settle({ status: 'completed', result: { n: 1 } });
    if (how === 'cancel') await testTenant.tasks.cancel(ANN, taskId);
    if (how === 'expire') await fixture.sweep();
    const status = { settle: 'completed', cancel: 'cancelled', expire: 'failed' }[how];
    const end = await recordedEnd(testTenant, workflow, taskId);
    expect(end).toMatchObject({ turn: 2, status, outcome: how === 'settle' ? { n: 1 } : { message: /./ } });
    expect((await testTenant.tasks.read(ANN, taskId)).status).toBe(status);
    expect(await errorCode(testTenant.tasks.cancel(ANN, taskId))).toBe('task_ended');
    expect((await testTenant.store.workflowTasks.read(ANN, workflow)).revision).toBe(2);
    expect(await countedStorage(redis, testTenant.keys)).toEqual(
      await measureStorage(redis, testTenant.keys),
    );
  },
);

test('a task that ended before it was known to be a step says so to whoever records it', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true, waits: [] });
  await (await fixture.loadSegment()).settle({ status: 'completed', result: { n: 1 } });
  const workflow = await openWorkflow(testTenant);
  expect(await update(testTenant, workflow, 0, { link: taskId })).toEqual({
    kind: 'child_ended',
    status: 'completed',
    outcome: { n: 1 },
  });
  expect((await testTenant.store.workflowTasks.read(ANN, workflow)).revision).toBe(0);
});

test("an end is left out where the workflow has ended, or does not wait for it any more; another's task is never linked", async () => {
  const testTenant = await fixture.createTenant();
  const taskIds = [await testTenant.openTask(), await testTenant.openTask()] as const;
  const ended = await openWorkflowOf(testTenant, taskIds[0]);
  await testTenant.tasks.cancel(ANN, ended);
  const forgetful = await openWorkflowOf(testTenant, taskIds[1]);
  await update(testTenant, forgetful, 1, { sets: [], drops: [`c.${taskIds[1]}`] });
  for (const taskId of taskIds) await testTenant.tasks.cancel(ANN, taskId);
  expect(await recordedEnd(testTenant, ended, taskIds[0])).toBeUndefined();
  expect(await recordedEnd(testTenant, forgetful, taskIds[1])).toBeUndefined();
  const foreign = await testTenant.openTask({}, await testTenant.caller('bob'));
  const workflow = await openWorkflow(testTenant);
  await update(testTenant, workflow, 0, { sets: [[`c.${foreign}`, '{}']], link: foreign });
  await testTenant.tasks.cancel(BOB, foreign);
  expect(await recordedEnd(testTenant, workflow, foreign)).toBeUndefined();
});

test('a result that is too long for a workflow is told by its length', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true, waits: [] });
  const workflow = await openWorkflowOf(testTenant, taskId);
  const result = { text: 'x'.repeat(262_144) };
  await (await fixture.loadSegment()).settle({ status: 'completed', result });
  expect(await recordedEnd(testTenant, workflow, taskId)).toEqual({
    turn: 2,
    status: 'completed',
    length: JSON.stringify(result).length,
  });
});

test('a SETTLE that ends a step without its workflow is seen', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true, waits: [] });
  const segment = await fixture.loadSegment();
  const workflow = await openWorkflowOf(testTenant, taskId);
  const mutant = mutateScript(SETTLE, ["return {'parent', parent}", 'return']);
  const evaluate = fixture.connection.evaluate.bind(fixture.connection);
  fixture.connection.evaluate = (script, keys, args) =>
    evaluate(script.sha === SETTLE.sha ? { ...script, ...mutant } : script, keys, args);
  try {
    await segment.settle({ status: 'completed', result: {} });
  } finally {
    fixture.connection.evaluate = evaluate;
  }
  expect(await recordedEnd(testTenant, workflow, taskId)).toBeUndefined();
});

test('every code of RECORD_PROGRESS and READ_PROGRESS was reached', () => {
  expect(recorder.codes(RECORD_PROGRESS)).toEqual(documentedReplyCodes(RECORD_PROGRESS));
  expect(recorder.codes(READ_PROGRESS)).toEqual(documentedReplyCodes(READ_PROGRESS));
});
