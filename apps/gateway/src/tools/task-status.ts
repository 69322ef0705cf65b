import { integerOrDigits } from '@baton/operations';
import { MAX_WAIT_MS, taskStatusSchema as statuses } from '@baton/protocol';
import { z } from 'zod';
import { callAdmittedAtEdge, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { contentBlocksOf } from '../delegation/content-blocks.ts';
import { taskStatusOf } from '../delegation/task-outcome.ts';
import { waitForTask } from '../delegation/wait-for-task.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  taskId: z.string().min(1).max(100).describe('The task'),
  waitMs: integerOrDigits(z.int().min(0).max(MAX_WAIT_MS))
    .default(0)
    .describe('How long to wait while it works, in milliseconds'),
});

const output = z.looseObject({
  taskId: z.string(),
  status: statuses,
  operation: z.string(),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
  expiresAt: z.string(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

/** A task's status, for clients that lost their context. */
export const taskStatusTool = defineTool({
  name: 'task_status',
  title: 'See how a task stands',
  description:
    'Tells how a task stands: its result when it is done, the request that it waits for when it waits.',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  access: callAdmittedAtEdge(MCP_OR_AGENT_SCOPE),
  input,
  output: [output],
  run: async ({ taskId, waitMs }, call) => {
    const { identity, tenant } = call;
    const { tasks } = tenant;
    let view = await tasks.read(identity, taskId);
    if (view.status === 'working' && waitMs > 0) {
      const subscription = call.services.store.inbox.subscribe(tasks.topic(taskId));
      try {
        await waitForTask(call, taskId, subscription, { event: 0, waitMs, registered: false });
        view = await tasks.read(identity, taskId);
      } finally {
        subscription.close();
      }
    }
    const structured = taskStatusOf(view);
    const blocks = contentBlocksOf(structured.result);
    return { text: `Task ${taskId} is ${view.status}.`, structured, taskId, textIncludesJson: true, blocks };
  },
});
