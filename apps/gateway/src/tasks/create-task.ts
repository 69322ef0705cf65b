import type { CreateTaskResult } from '@modelcontextprotocol/sdk/types.js';
import { admitCaller, ANY_MCP_CALLER } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { unknownToolError } from '../mcp/dispatch/call-tool.ts';
import { findTool, type ToolCallParams } from '../tool-calls/run-tool-call.ts';
import {
  CONTINUATION_META_KEY,
  CONTINUED_TASK_META_KEY,
  continueWorkflow,
} from '../workflows/continue-workflow.ts';
import { toMcpTask } from './mcp-task.ts';

/** What a host may tell its model while the task goes on (MCP 2025-11-25, basic/utilities/tasks, Creating Tasks). */
const MODEL_IMMEDIATE_RESPONSE = 'io.modelcontextprotocol/model-immediate-response';

/**
 * Starts a tool's operation as a task, and gives the task at once; its result is for `tasks/result`. A worker runs it from its
 * first segment on, so the task is stored before its id is told. `ttl` of the request is replaced by what Baton keeps.
 * Errors: -32602 for an unknown tool, -32601 for one that is no operation, those of starting the operation.
 */
export async function createTask(params: ToolCallParams, call: Call): Promise<CreateTaskResult> {
  const tool = await findTool(params.name, call);
  if (tool?.startTask === undefined) {
    await admitCaller(call, ANY_MCP_CALLER);
    throw tool === undefined
      ? unknownToolError(params.name, call)
      : new RpcError(-32601, `${params.name} cannot be called as a task. Leave out params.task.`);
  }
  const { taskId, created } = await tool.startTask(params.arguments, call, params._meta ?? {});
  const { tenant, caller } = call;
  const view = await tenant.tasks.read(caller.heldIdentity(), taskId, '', 'none');
  // A new task is told as it began, whatever a worker has done since.
  const { operation, principal, createdAt, expiresAt } = view;
  const begun = { taskId, operation, principal, createdAt, expiresAt, updatedAt: createdAt };
  const task = toMcpTask(created ? { ...begun, status: 'working' } : view, tenant.lifetimes);
  const told =
    `${params.name} goes on as task ${taskId}. task_status tells how it stands: where it shows a request ` +
    'for an LLM, make that call yourself and post its outcome with agent_llm.';
  const meta = { [MODEL_IMMEDIATE_RESPONSE]: told };
  const workflow = params._meta?.[CONTINUED_TASK_META_KEY];
  if (workflow === undefined) return { task, _meta: meta };
  const made = {
    tool: tool.name,
    arguments: params.arguments,
    outcome: { kind: 'working', taskId },
  } as const;
  const continuation = await continueWorkflow(workflow, made, call);
  return { task, _meta: { ...meta, [CONTINUATION_META_KEY]: continuation } };
}
