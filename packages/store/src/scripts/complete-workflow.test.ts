import { formatInteractionId, WORKFLOW_OPERATION } from '@baton/protocol';
import { expect, test } from 'vitest';
import { documentedReplyCodes } from '../testing/all-scripts.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ADMIN, AGENT, ANN, BOB, errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { COMPLETE_WORKFLOW } from './registry.ts';

const fixture = await openFixture();
const { recorder } = fixture;

const openWorkflow = (testTenant: TestTenant) =>
  testTenant.openTask({ operation: WORKFLOW_OPERATION, waits: [] });
const complete = (testTenant: TestTenant, taskId: string, as = ANN, result = {}) =>
  errorCode(testTenant.store.workflowTasks.complete(as, taskId, result));

test('the task of a workflow ends once, with the result that came first', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await openWorkflow(testTenant);
  expect(await complete(testTenant, taskId, ANN, { n: 1 })).toBe('done');
  const before = await fixture.contents();
  expect(await complete(testTenant, taskId, ANN, { n: 2 })).toBe('task_ended');
  expect(await errorCode(testTenant.tasks.cancel(ANN, taskId))).toBe('task_ended');
  expect(await fixture.contents()).toEqual(before);
  expect(await testTenant.tasks.read(ANN, taskId)).toMatchObject({ status: 'completed', result: { n: 1 } });
});

test('COMPLETE_WORKFLOW replies to whoever may not see a task exactly as for one that never existed, and ends nothing', async () => {
  const [testTenant, other] = [await fixture.createTenant(), await fixture.createTenant()];
  const taskId = await openWorkflow(testTenant);
  const attempts: [TestTenant, string, typeof ANN][] = [
    [testTenant, taskId, BOB],
    [testTenant, `ffffffff${taskId.slice(8)}`, ANN],
    [other, taskId, AGENT],
  ];
  for (const [where, id, as] of attempts) {
    expect(await complete(where, id, as)).toBe('task_not_found');
    expect(recorder.last(COMPLETE_WORKFLOW)).toEqual(['task_not_found']);
  }
  // An id of an interaction differs from its task's in the last digits only.
  expect(await complete(testTenant, formatInteractionId(taskId, 1))).toBe('task_not_found');
  expect(await complete(testTenant, taskId, AGENT), 'it may see it').toBe('insufficient_scope');
  expect(await complete(testTenant, taskId, ADMIN)).toBe('done');
  const run = await openWorkflow(testTenant);
  const end = testTenant.store.workflowTasks.complete(AGENT, run, {}, 'agent');
  expect(await errorCode(end), 'a run that an agent resumed has come to its end').toBe('done');
});

test('the task of an operation is never ended by its client, and one that has ended says so first', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const before = await fixture.contents();
  expect(await complete(testTenant, taskId)).toBe('task_not_workflow');
  expect(await fixture.contents()).toEqual(before);
  await testTenant.tasks.cancel(ANN, taskId);
  expect(await complete(testTenant, taskId)).toBe('task_ended');
});

test('a result has as much room as other accepted work: a quarter above the limit, and no more', async () => {
  const testTenant = await fixture.createTenant({ storedBytes: 20_000 });
  const [first, second] = [await openWorkflow(testTenant), await openWorkflow(testTenant)];
  expect(await complete(testTenant, first, ANN, { text: 'x'.repeat(21_000) })).toBe('done');
  expect(await complete(testTenant, second, ANN, { text: 'x'.repeat(21_000) })).toBe('limit_storage');
  expect((await testTenant.tasks.read(ANN, second)).status).toBe('working');
  expect(await errorCode(testTenant.tasks.cancel(ANN, second))).toBe('done');
});

test('every code of COMPLETE_WORKFLOW was reached', () => {
  expect(recorder.codes(COMPLETE_WORKFLOW)).toEqual(documentedReplyCodes(COMPLETE_WORKFLOW));
});
