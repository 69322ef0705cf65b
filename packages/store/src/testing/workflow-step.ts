import { WORKFLOW_OPERATION } from '@baton/protocol';
import { ANN, newTask, type TestTenant } from './test-tenant.ts';

/** Opens the task of a workflow as ann. */
export async function openWorkflow(testTenant: TestTenant): Promise<string> {
  const task = newTask({ operation: WORKFLOW_OPERATION, waits: [] });
  return (await testTenant.tasks.open(await testTenant.caller(), task)).taskId;
}

/** Opens the task of a workflow that waits for the end of this task. */
export async function openWorkflowOf(testTenant: TestTenant, taskId: string): Promise<string> {
  const workflow = await openWorkflow(testTenant);
  const update = { revision: 0, sets: [[`c.${taskId}`, '{}']] as const, drops: [], link: taskId };
  const updated = await testTenant.store.workflowTasks.update(ANN, workflow, update);
  if (updated.kind !== 'recorded') throw new Error(`the step was not recorded: ${updated.kind}`);
  return workflow;
}

/** What the record of the workflow says of how the task ended; undefined while it has not. */
export async function recordedEnd(
  testTenant: TestTenant,
  workflow: string,
  taskId: string,
): Promise<unknown> {
  const { parts } = await testTenant.store.workflowTasks.read(ANN, workflow);
  const text = parts.get(`d.${taskId}`);
  return text === undefined ? undefined : JSON.parse(text);
}
