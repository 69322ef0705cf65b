import { isEnded, WORKFLOW_OPERATION } from '@baton/protocol';
import type { TaskSummary, TaskView } from '@baton/store';
import type { Task } from '@modelcontextprotocol/sdk/types.js';
import { describeWaitForRoom } from '../delegation/task-outcome.ts';
import { isoTime } from '../delegation/iso-time.ts';

/** How soon to ask again, in milliseconds: a segment takes less than a second, people and LLMs take longer. */
const POLL_WORKING_MS = 1_000;
const POLL_WAITING_MS = 5_000;

/**
 * A task as MCP shows it (2025-11-25, basic/utilities/tasks, Data Types). `ttl` counts from `createdAt`: an open task ends by
 * its deadline, and what has ended stays readable for `retention` milliseconds.
 */
export function toMcpTask(task: TaskView | TaskSummary, { retention }: { readonly retention: number }): Task {
  const { taskId, status, createdAt, updatedAt, expiresAt } = task;
  const ended = isEnded(status);
  const statusMessage = statusMessageOf(task);
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    ttl: (ended ? updatedAt : expiresAt) - createdAt + retention,
    ...(ended ? {} : { pollInterval: isForClient(task) ? POLL_WAITING_MS : POLL_WORKING_MS }),
  };
}

/** Whether somebody outside has to act before the task goes on. */
function isForClient({ status, operation }: Pick<TaskSummary, 'status' | 'operation'>): boolean {
  return status === 'input_required' || operation === WORKFLOW_OPERATION;
}

function statusMessageOf(task: TaskView | TaskSummary): string | undefined {
  if ('error' in task) return `${task.error.code}: ${task.error.message}`;
  if ('waitsForRoom' in task && task.waitsForRoom !== undefined)
    return describeWaitForRoom(task.waitsForRoom).message;
  if ('pausedUntil' in task && task.pausedUntil !== undefined)
    return `Pauses until ${isoTime(task.pausedUntil)}, and tries again then.`;
  if (isEnded(task.status) || !isForClient(task)) return undefined;
  return task.operation === WORKFLOW_OPERATION
    ? 'The steps of the workflow that are left are for its client, who ends it with complete_task.'
    : 'Waits for an LLM: task_status shows the request, agent_llm takes the answer.';
}
