import { z } from 'zod';
import { type ListTasksRequest, ListTasksRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ANY_MCP_CALLER, withSightOfAdmin } from '../call/access.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { workflowResultSchema } from '../tools/complete-task.ts';
import { toMcpTask } from './mcp-task.ts';
import { ResultWaits } from './result-waits.ts';
import { taskResult } from './task-result.ts';

/**
 * MCP tasks (2025-11-25, basic/utilities/tasks) over the tasks of workflows and operations: `create-task` starts one for a call
 * with `params.task`, `task-result` waits for its end, within `result-waits`; `mcp-task` is how one is shown.
 */
export const TASK_CAPABILITIES = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

const taskId = z.string().min(1).max(100);
const byIdSchema = z.looseObject({ params: z.looseObject({ taskId }) });
const cancelSchema = z.looseObject({
  params: z.looseObject({ taskId, result: workflowResultSchema.optional() }),
});

export function taskMethods(): McpMethod[] {
  const waits = new ResultWaits();
  return [
    defineEdgeAdmittedMethod(
      'tasks/get',
      ANY_MCP_CALLER,
      byIdSchema,
      async ({ params }, { tenant, identity }) =>
        toMcpTask(await tenant.tasks.read(identity, params.taskId, '', true), tenant.lifetimes),
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
    defineEdgeAdmittedMethod('tasks/result', ANY_MCP_CALLER, byIdSchema, ({ params }, call) =>
      taskResult(params.taskId, call, waits),
    ),
    // With a `result` it completes the task of a workflow: an addition of Baton's.
    defineEdgeAdmittedMethod(
      'tasks/cancel',
      ANY_MCP_CALLER,
      cancelSchema,
      async ({ params }, { tenant, identity, logEvent }) => {
        if (params.result === undefined) await tenant.tasks.cancel(identity, params.taskId);
        else await tenant.workflowTasks.complete(identity, params.taskId, params.result);
        const status = params.result === undefined ? 'cancelled' : 'completed';
        logEvent('ended', { taskId: params.taskId, status });
        const ended = await tenant.tasks.read(withSightOfAdmin(identity), params.taskId, '', true);
        return toMcpTask(ended, tenant.lifetimes);
      },
    ),
  ];
}
