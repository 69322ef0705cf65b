import { BatonError, type JsonObject } from '@baton/protocol';
import {
  type PromptMessage,
  traceMessages,
  type WorkflowInput,
  type WorkflowProgress,
} from '@baton/workflows';
import type { AdmittedCall } from '../call/call.ts';
import { runWorkflow } from './run-workflow.ts';
import { WorkflowTask } from '../workflows/workflow-task.ts';

/** A run as it is told: the conversation that it stands for. */
export interface ToldRun {
  readonly task: WorkflowTask;
  readonly status: WorkflowTask['status'];
  readonly progress: WorkflowProgress;
  readonly messages: readonly PromptMessage[];
}

/** Goes on with a workflow from its first open step, with what is known by now. Errors: `task_ended`, and those of a run. */
export async function resumeWorkflow(task: WorkflowTask, call: AdmittedCall): Promise<ToldRun> {
  if (task.status !== 'working') {
    const { taskId, status } = task;
    throw new BatonError('task_ended', `Task '${taskId}' has ended already: it is ${status}.`, {
      taskId,
      status,
      taskStatus: status,
    });
  }
  return finishWorkflow(task, call);
}

/**
 * Runs what is open, and completes the task when nothing is. Where another run of the same task has completed it meanwhile, its run is
 * told as it stands.
 */
export async function finishWorkflow(task: WorkflowTask, call: AdmittedCall): Promise<ToldRun> {
  try {
    return await runToEnd(task, call);
  } catch (thrown) {
    if (!isCompletedMeanwhile(thrown, task)) throw thrown;
    return describeRun(await WorkflowTask.read(call, task.taskId, call.identity));
  }
}

async function runToEnd(task: WorkflowTask, call: AdmittedCall): Promise<ToldRun> {
  const progress = await runWorkflow(task, call);
  if (progress.stop !== null) return told(task, 'working', progress);
  const result = resultOf(task.input, progress);
  await call.tenant.workflowTasks.complete(call.identity, task.taskId, result, 'agent');
  return told(task, 'completed', progress);
}

/** Both the record of a step and the end of the task are refused so. */
function isCompletedMeanwhile(thrown: unknown, { taskId }: WorkflowTask): boolean {
  if (!(thrown instanceof BatonError) || thrown.code !== 'task_ended') return false;
  return thrown.details['taskId'] === taskId && thrown.details['status'] === 'completed';
}

/**
 * A run as it stands, without going on. One that was cut off before its task ended stopped at its first open step; one that waited for a
 * step's task that has failed stopped there.
 */
export function describeRun(task: WorkflowTask): ToldRun {
  const { progress, status } = task;
  const { steps, stop } = progress;
  const open = steps.findIndex((state) => state.status === 'open' || state.status === 'failed');
  if (stop === undefined && open >= 0)
    return told(task, status, { ...progress, stop: { reason: 'interrupted', step: open } });
  if (hasFailedStep(progress) && stop)
    return told(task, status, { ...progress, stop: { reason: 'failed', step: stop.step } });
  return told(task, status, progress);
}

/** Whether the step at which a run has stopped has failed since. */
export function hasFailedStep({ steps, stop }: WorkflowProgress): boolean {
  return stop?.reason === 'delegated' && steps[stop.step]?.status === 'failed';
}

function told(task: WorkflowTask, status: ToldRun['status'], progress: WorkflowProgress): ToldRun {
  const messages = traceMessages(task.input, progress, status === 'working' ? undefined : status);
  return { task, status, progress, messages };
}

/** What the task of a workflow ends with when the server has done all of it. */
function resultOf({ workflow }: WorkflowInput, { steps }: WorkflowProgress): JsonObject {
  const results = workflow.steps.flatMap(({ name }, index) => {
    const state = steps[index];
    return state?.status === 'completed' ? [[name, state.output ?? null] as const] : [];
  });
  return { completed: true, stepsCompleted: steps.length, results: Object.fromEntries(results) };
}
