import { BatonError, type JsonObject } from '@baton/protocol';
import {
  traceMessages,
  type Workflow,
  type WorkflowInput,
  workflowProgram,
  type WorkflowRun,
} from '@baton/workflows';
import type { GetPromptRequest, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';
import { idempotencyOf } from '../tools/idempotency.ts';
import type { Tool } from '../tools/tool.ts';
import { WorkflowExecution } from './run-workflow.ts';

/**
 * Runs a workflow as its caller, in a task of its own, and gives the run as a conversation (MCP, GetPromptResult). When all
 * steps are done the task is completed; otherwise it stays `working` and the last message hands off.
 * Errors: `invalid_arguments`, `workflow_not_found`, `idempotency_conflict`, the refusals of OPEN.
 */
export async function getPrompt(
  tools: ReadonlyMap<string, Tool>,
  { name, arguments: args = {}, _meta = {} }: GetPromptRequest['params'],
  call: AdmittedCall,
  log: (error: unknown) => void,
): Promise<GetPromptResult> {
  const { tenant, identity } = call;
  const workflow = (await tenant.workflows.get(name)).definition as unknown as Workflow;
  requireArguments(workflow, args);
  const input: WorkflowInput = { workflow, args };
  const idempotency = await idempotencyOf(`prompt ${name}`, args, _meta, async () => identity.principal);
  const execution = new WorkflowExecution(tools, call, log);
  const opened = await tenant.tasks.open(call.caller, {
    operation: workflowProgram.name,
    version: workflowProgram.version,
    input: input as unknown as JsonObject,
    journal: [],
    waits: [],
    ready: false,
    idempotency,
  });
  return opened.created
    ? runTask(execution, opened.taskId, input, new Map(), call)
    : resumeTask(execution, opened.taskId, call);
}

/**
 * A repeated call: the run of its task, with the definition that it began with. Where the run was cut off it goes on; what has
 * ended is told as it was.
 */
async function resumeTask(
  execution: WorkflowExecution,
  taskId: string,
  call: AdmittedCall,
): Promise<GetPromptResult> {
  const task = await call.tenant.queries.inspect(call.identity, taskId);
  const input = task.input as WorkflowInput | null;
  // Of the oldest ended tasks only the end is kept (docs/data-model.md, What a tenant stores).
  if (input === null)
    throw new BatonError('task_ended', `Task '${taskId}' has ended, and its run is not kept any more.`, {
      taskId,
    });
  if (task.status === 'working') return runTask(execution, taskId, input, task.journal, call);
  return replyOf(input, await execution.recall(input, task.journal), taskId, task.status);
}

async function runTask(
  execution: WorkflowExecution,
  taskId: string,
  input: WorkflowInput,
  journal: ReadonlyMap<string, string>,
  { tenant, identity }: AdmittedCall,
): Promise<GetPromptResult> {
  const run = await execution.run(input, taskId, journal);
  if (run.stop !== null) return replyOf(input, run, taskId, 'working');
  try {
    await tenant.workflowTasks.complete(identity, taskId, resultOf(input, run));
  } catch (thrown) {
    // A repeat of this call has completed it meanwhile.
    if (!(thrown instanceof BatonError) || thrown.details['status'] !== 'completed') throw thrown;
  }
  return replyOf(input, run, taskId, 'completed');
}

function replyOf(input: WorkflowInput, run: WorkflowRun, taskId: string, status: string): GetPromptResult {
  return {
    description: input.workflow.description,
    messages: traceMessages(input, run) as GetPromptResult['messages'],
    _meta: { task_id: taskId, task_status: status },
  };
}

/** What the task of a workflow ends with when the server has done all of it. */
function resultOf({ workflow }: WorkflowInput, { steps }: WorkflowRun): JsonObject {
  const results = workflow.steps.flatMap(({ name }, index) => {
    const state = steps[index];
    return state?.status === 'completed' ? [[name, state.output ?? null] as const] : [];
  });
  return { completed: true, stepsCompleted: steps.length, results: Object.fromEntries(results) };
}

function requireArguments(workflow: Workflow, args: Readonly<Record<string, string>>): void {
  const known = new Set(workflow.arguments.map(({ name }) => name));
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw refusal(
      unknown.slice(0, 100),
      `the prompt has no such argument; it has ${[...known].join(', ') || 'none'}`,
    );
  }
  const missing = workflow.arguments.find(({ name, required }) => required && !Object.hasOwn(args, name));
  if (missing !== undefined) throw refusal(missing.name, 'is required');
}

function refusal(field: string, problem: string): BatonError {
  return new BatonError('invalid_arguments', `arguments.${field}: ${problem}`, {
    field: `arguments.${field}`,
  });
}
