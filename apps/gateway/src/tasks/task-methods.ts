import { z } from 'zod';
import {
  type ListTasksRequest,
  ListTasksRequestSchema,
  ProgressTokenSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER, withAdminReadScope } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { workflowResultSchema } from '../tools/complete-task.ts';
import { toMcpTask } from './mcp-task.ts';

/**
 * MCP tasks (2025-11-25, basic/utilities/tasks) over the tasks of workflows and operations: `create-task` starts one for a call
 * with `params.task`, `task-result` is what its end is shown as, `result-waits` who waits for that; `mcp-task` is how one is shown.
 */
export const TASK_CAPABILITIES = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

const taskId = z.string().min(1).max(100);
const meta = z.looseObject({ progressToken: ProgressTokenSchema.optional() }).optional();
/** Params of a method that names a task. */
export const taskByIdSchema = z.looseObject({ params: z.looseObject({ taskId, _meta: meta }) });
export const cancelTaskSchema = z.looseObject({
  params: z.looseObject({ taskId, result: workflowResultSchema.optional() }),
});

/** All but `tasks/result`, which `mcp/v2025/task-stream` answers. */
export const taskMethods: readonly McpMethod[] = [
  defineEdgeAdmittedMethod(
    'tasks/get',
    ANY_MCP_CALLER,
    taskByIdSchema,
    async ({ params }, { tenant, identity }) =>
      toMcpTask(await tenant.tasks.read(identity, params.taskId, '', 'none'), tenant.lifetimes),
  ),
  defineEdgeAdmittedMethod<ListTasksRequest>(
    'tasks/list',
    ANY_MCP_CALLER,
    ListTasksRequestSchema,
    async ({ params }, { tenant, identity }) => {
      const { items, ...next } = await tenant.queries.tasks(identity, params?.cursor);
      return { tasks: items.map((task) => toMcpTask(task, tenant.lifetimes)), ...next };
    },
  ),
  defineEdgeAdmittedMethod('tasks/cancel', ANY_MCP_CALLER, cancelTaskSchema, async ({ params }, call) => {
    await cancelOrComplete(params, call);
    const { identity, tenant } = call;
    const ended = await tenant.tasks.read(withAdminReadScope(identity), params.taskId, '', 'none');
    return toMcpTask(ended, tenant.lifetimes);
  }),
];

/** Cancels a task, or, with a `result`, completes that of a workflow: an addition of Baton's. Errors: as `Tasks.cancel` and `WorkflowTasks.complete`. */
export async function cancelOrComplete(
  { taskId, result }: z.output<typeof cancelTaskSchema>['params'],
  { tenant, identity, logEvent }: AdmittedCall,
): Promise<void> {
  if (result === undefined) await tenant.tasks.cancel(identity, taskId);
  else await tenant.workflowTasks.complete(identity, taskId, result);
  logEvent('ended', { taskId, status: result === undefined ? 'cancelled' : 'completed' });
}
