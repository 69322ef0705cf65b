import type { Identity, Retried, RetriedStep } from '@baton/store';
import { toolNameOf } from '@baton/agent-definitions';
import { askAgentOperation } from '@baton/operations';
import { isRecord } from '@baton/protocol';
import type { Call } from '../call/call.ts';
import { waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';
import { continueWorkflow } from '../workflows/continue-workflow.ts';

/**
 * Has a task that failed go on from its journal, and waits up to `waitMs` for what comes of it: its next request, or its end.
 * `replayed`: this caller has retried it before, and it has not ended since. Errors: those of `TaskRetries.retry`.
 */
export async function retryTask(call: Call, identity: Identity, taskId: string, waitMs: number) {
  const { tasks } = call.tenant;
  const { inbox } = call.services.store;
  const subscription = inbox.subscribe(tasks.topic(taskId), identity.admittedBy);
  try {
    const channel = waitMs > 0 ? inbox.channel : '';
    const { event, replayed } = await retryWithoutWaiting(call, identity, taskId, channel);
    const wait = { event, waitMs, registered: !replayed && waitMs > 0 };
    await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    return { view: await tasks.read(identity, taskId), replayed };
  } finally {
    subscription.close();
  }
}

/** Whoever may retry the task, its workflow is told of it: the task itself names that. */
const BATON: Identity = { principal: '', scopes: new Set(['agent', 'admin']) };

/** The same without a wait. What was a step of a workflow is one again: its call counts as if it were made anew. */
export async function retryWithoutWaiting(
  call: Call,
  identity: Identity,
  taskId: string,
  channel = '',
): Promise<Retried> {
  const retried = await call.tenant.taskRetries.retry(identity, taskId, channel);
  if (retried.step !== undefined) {
    const made = { ...callOf(retried.step), outcome: { kind: 'working', taskId } } as const;
    await continueWorkflow(retried.step.workflowTaskId, made, call, BATON);
  }
  return retried;
}

/** The call that began the step's task, by the tool that was called. */
function callOf({ operation, input }: RetriedStep) {
  if (operation !== askAgentOperation.name) return { tool: operation, arguments: input };
  return {
    tool: toolNameOf(input['agentId'] as string),
    arguments: isRecord(input['arguments']) ? input['arguments'] : {},
  };
}
