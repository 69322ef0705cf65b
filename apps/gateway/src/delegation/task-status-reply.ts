import type { TaskView } from '@baton/store';
import { isoTime } from './iso-time.ts';
import type { WorkflowStatus } from '../workflows/workflow-status.ts';
import type { StreamedText } from '../streaming/streamed-texts.ts';
import { outcomeOf } from './task-outcome.ts';

/** A task as `task_status` and its resource show it; that of a workflow with how it stands, and with the answers that are being streamed. */
export function taskStatusReply(
  view: TaskView,
  workflow: WorkflowStatus | undefined,
  streaming: readonly StreamedText[],
) {
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
