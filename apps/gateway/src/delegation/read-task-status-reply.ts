import type { TaskView } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';
import { readWorkflowStatus } from '../workflows/workflow-status.ts';
import { readStreamedTexts } from '../streaming/streamed-texts.ts';
import { taskStatusReply } from './task-status-reply.ts';

/** A task as `task_status` and its resource show it, with what is read beside its record. */
export async function readTaskStatusReply(call: AdmittedCall, view: TaskView) {
  const pending = 'pending' in view ? view.pending : [];
  const [workflow, streaming] = await Promise.all([
    readWorkflowStatus(call, view),
    readStreamedTexts(call.tenant, call.identity, pending),
  ]);
  return taskStatusReply(view, workflow, streaming);
}
