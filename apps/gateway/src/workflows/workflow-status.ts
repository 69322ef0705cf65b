import { BatonError, type JsonObject, WORKFLOW_OPERATION } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import {
  callForDelegated,
  remainingCalls,
  type WorkflowInput,
  type WorkflowProgress,
  workflowVariables,
} from '@baton/workflows';
import type { AdmittedCall } from '../call/call.ts';
import { withOpenRequests } from './open-requests.ts';

import { WorkflowTask } from './workflow-task.ts';

/** How a workflow stands, beside the status of its task. */
export interface WorkflowStatus {
  /** The workflow's name. */
  readonly workflow: string;
  /** `_workflow.progress` with the goal and each step, `_workflow.result.<step>`, `_workflow.extra.<tool>`. */
  readonly variables: JsonObject;
  /** What is left, with the arguments that are known. */
  readonly remaining: readonly JsonObject[];
}

/** Undefined for the task of anything else, and where only the end of a workflow is kept. */
export async function readWorkflowStatus(
  call: AdmittedCall,
  { taskId, operation }: TaskView,
): Promise<WorkflowStatus | undefined> {
  if (operation !== WORKFLOW_OPERATION) return undefined;
  try {
    return await workflowStatusOf(await WorkflowTask.read(call, taskId), call);
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'task_ended') return undefined;
    throw thrown;
  }
}

export async function workflowStatusOf(
  { input, progress }: WorkflowTask,
  call: AdmittedCall,
): Promise<WorkflowStatus> {
  return {
    workflow: input.workflow.name,
    variables: workflowVariables(input, progress),
    remaining: callsLeft(input, await withOpenRequests(progress, call)),
  };
}

/** Of a step that waits for its task: the call that this needs, and which task it is. */
function callsLeft(input: WorkflowInput, progress: WorkflowProgress): JsonObject[] {
  return remainingCalls(input, progress).flatMap(({ step, ...call }): JsonObject[] => {
    if (call.tool === undefined) return [];
    const state = progress.steps[step];
    if (state?.status !== 'delegated') return [{ ...call } as JsonObject];
    return [{ ...call, ...callForDelegated(state), taskId: state.taskId } as JsonObject];
  });
}
