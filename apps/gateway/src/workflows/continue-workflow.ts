import { BatonError, isRecord, type JsonObject } from '@baton/protocol';
import { type ClientCall, recordCall, type RecordedCall } from '@baton/workflows';
import type { Identity } from '@baton/store';
import { randomUUID } from 'node:crypto';
import type { Call } from '../call/call.ts';
import type { CallOutcome } from './call-outcome.ts';
import { WorkflowTask } from './workflow-task.ts';

/** In a call's `_meta`: the workflow's task that the call is for. In its result's: what became of that. */
export const CONTINUED_TASK_META_KEY = '_task_id';
export const CONTINUATION_META_KEY = 'baton/continuation';

/** What a call's result says of the workflow that it was made for. */
export type Continuation =
  | { readonly recorded: true; readonly step?: string; readonly remaining: number }
  | { readonly recorded: false; readonly reason: 'not_found' | 'ended' | 'own_task' | 'unavailable' };

export interface MadeCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly outcome: CallOutcome;
}

/**
 * Records what a client's call has come to in the task of a workflow, as its caller or as `identity`. The call has been made by then, and its
 * result leaves whatever happens here: nothing is thrown.
 */
export async function continueWorkflow(
  taskId: unknown,
  { tool, arguments: args, outcome }: MadeCall,
  call: Call,
  identity?: Identity,
): Promise<Continuation> {
  if (typeof taskId !== 'string') return { recorded: false, reason: 'not_found' };
  if (outcome.kind === 'completed' && outcome.output['taskId'] === taskId) {
    return { recorded: false, reason: 'own_task' };
  }
  const client = { call: randomUUID(), tool, arguments: isRecord(args) ? (args as JsonObject) : {} };
  try {
    const task = await WorkflowTask.read(call, taskId, identity);
    if (!task.isOwn) return { recorded: false, reason: 'not_found' };
    const { step, remaining } = await record(task, { ...client, outcome }).catch((thrown: unknown) => {
      const isFull = thrown instanceof BatonError && thrown.code === 'limit_storage';
      if (!isFull || outcome.kind !== 'completed') throw thrown;
      const { length } = JSON.stringify(outcome.output);
      return record(task, { ...client, arguments: {}, outcome: { kind: 'too_long', length } });
    });
    return { recorded: true, ...(step === undefined ? {} : { step }), remaining };
  } catch (thrown) {
    const code = thrown instanceof BatonError ? thrown.code : undefined;
    if (code === 'task_not_found' || code === 'task_not_workflow')
      return { recorded: false, reason: 'not_found' };
    if (code === 'task_ended') return { recorded: false, reason: 'ended' };
    call.services.log(thrown);
    return { recorded: false, reason: 'unavailable' };
  }
}

async function record(task: WorkflowTask, call: ClientCall): Promise<RecordedCall> {
  await task.change((progress) => recordCall(task.input, progress, call).progress);
  return recordCall(task.input, task.progress, call);
}
