import type { TaskView } from '@baton/store';
import type { AdmittedCall } from '../call/call.ts';
import { readStreamedTexts } from '../streaming/streamed-texts.ts';
import { readWorkflowStatus } from '../workflows/workflow-status.ts';
import { isoTime } from './iso-time.ts';
import { outcomeOf } from './task-outcome.ts';

/** A task as `task_status` and its resource show it; that of a workflow with how it stands, and with the answers that are being streamed. */
export async function readTaskStatusReply(call: AdmittedCall, view: TaskView) {
  const streams = 'streams' in view ? view.streams : [];
  const [workflow, streaming] = await Promise.all([
    readWorkflowStatus(call, view),
    readStreamedTexts(call.tenant, call.identity, streams),
  ]);
  return {
    taskId: view.taskId,
    operation: view.operation,
    createdAt: isoTime(view.createdAt),
    lastUpdatedAt: isoTime(view.updatedAt),
    expiresAt: isoTime(view.expiresAt),
    ...outcomeOf(view),
    ...(view.usage && { usage: view.usage }),
    ...(streaming.length > 0 && { streaming }),
    ...workflow,
  };
}
