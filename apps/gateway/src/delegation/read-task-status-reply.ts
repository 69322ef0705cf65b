import type { TaskView } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';
import { readWorkflowStatus } from '../workflows/workflow-status.ts';
import { readStreamedTexts } from '../streaming/streamed-texts.ts';
import { taskStatusReply } from './task-status-reply.ts';

/** A task as `task_status` and its resource show it, with what is read beside its record. */
export async function readTaskStatusReply(call: AdmittedCall, view: TaskView) {
  const streams = 'streams' in view ? view.streams : [];
  const [workflow, streaming] = await Promise.all([
    readWorkflowStatus(call, view),
    readStreamedTexts(call.tenant, call.identity, streams),
  ]);
  return taskStatusReply(view, workflow, streaming);
}
