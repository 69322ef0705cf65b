import { integerOrDigits } from '@baton/operations';
import { MAX_WAIT_MS } from '@baton/protocol';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { contentBlocksOf } from '../delegation/content-blocks.ts';
import { readTaskStatusReply } from '../delegation/read-task-status-reply.ts';
import { retryTask } from '../retries/retry-task.ts';
import { taskStatusOutput } from './task-status.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

const DEFAULT_WAIT_MS = 10_000;

/** Has a task that failed or expired go on. */
export const retryTaskTool = defineEdgeAdmittedTool({
  name: 'retry_task',
  title: 'Retry a failed task',
  category: 'delegation',
  changes: ['delegated-task'],
  description:
    'Has a task that failed or expired go on where it stood: what was answered and accepted is kept, and its last request ' +
    'is opened anew, with a new deadline. Your own task, or with the scope admin any of the tenant.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({
    taskId: z.string().min(1).max(100).describe('The task'),
    waitMs: integerOrDigits(z.int().min(0).max(MAX_WAIT_MS))
      .default(DEFAULT_WAIT_MS)
      .describe('How long to wait for what comes of it, in milliseconds'),
  }),
  output: [
    taskStatusOutput.extend({ replayed: z.literal(true).optional().describe('It was retried before') }),
  ],
  run: async ({ taskId, waitMs }, call) => {
    const { view, replayed } = await retryTask(call, call.identity, taskId, waitMs);
    const status = await readTaskStatusReply(call, view);
    const structured = replayed ? { ...status, replayed } : status;
    const text = `Task ${taskId} ${replayed ? 'was retried before' : 'is retried'}; it is ${view.status}.`;
    const asks = 'pending' in status;
    return { text, structured, taskId, asks, blocks: contentBlocksOf(status.result) };
  },
});
