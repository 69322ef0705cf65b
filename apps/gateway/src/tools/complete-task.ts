import { exceedsDepth, type JsonObject, MAX_STORED_JSON_DEPTH } from '@baton/protocol';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

/** As much as a run of a workflow keeps of one output. */
const MAX_RESULT_BYTES = 262_144;

/** The result that the client of a workflow ends its task with. */
export const workflowResultSchema = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (exceedsDepth(MAX_STORED_JSON_DEPTH, value))
      return refuse(`must nest at most ${MAX_STORED_JSON_DEPTH} levels`);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_RESULT_BYTES)
      refuse(`must be at most ${MAX_RESULT_BYTES} bytes as JSON, and has ${bytes}`);
  })
  .transform((value) => value as JsonObject);

/** Ends the task of a workflow as completed, for clients that cannot send `tasks/cancel` with a result. */
export const completeTaskTool = defineEdgeAdmittedTool({
  name: 'complete_task',
  title: 'Complete a workflow',
  category: 'delegation',
  changes: ['delegated-task'],
  description:
    "Ends a workflow's task with its result, once the steps that are left are done. Only tasks of workflows: an operation ends by itself.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input: z.strictObject({
    taskId: z.string().min(1).max(100).describe('The task of the workflow'),
    result: workflowResultSchema.describe('What came of the workflow, up to 262,144 bytes as JSON'),
  }),
  output: [z.object({ taskId: z.string(), status: z.literal('completed') })],
  run: async ({ taskId, result }, call) => {
    await call.tenant.workflowTasks.complete(call.identity, taskId, result);
    call.logEvent('ended', { taskId, status: 'completed' });
    return { text: `Task ${taskId} is completed.`, structured: { taskId, status: 'completed' }, taskId };
  },
});
