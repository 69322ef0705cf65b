import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

/** Ends a task; what it waits for is taken back. */
export const cancelTaskTool = defineEdgeAdmittedTool({
  name: 'cancel_task',
  title: 'Cancel a task',
  category: 'delegation',
  changes: ['delegated-task'],
  description:
    'Ends a task that is not finished: your own, or with the scope admin any of the tenant. Answers to its open requests are refused from then on.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({ taskId: z.string().min(1).max(100).describe('The task') }),
  output: [z.object({ taskId: z.string(), status: z.literal('cancelled') })],
  run: async ({ taskId }, call) => {
    await call.tenant.tasks.cancel(call.identity, taskId);
    call.logEvent('ended', { taskId, status: 'cancelled' });
    return { text: `Task ${taskId} is cancelled.`, structured: { taskId, status: 'cancelled' }, taskId };
  },
});
