import {
  promptArgumentError,
  renderPrompt,
  requirePromptArguments,
  toPromptDefinition,
} from '@baton/agent-definitions';
import { BatonError, canonicalJson, type JsonObject, WORKFLOW_OPERATION } from '@baton/protocol';
import type { Workflow, WorkflowInput } from '@baton/workflows';
import type { GetPromptRequest, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import type { AdmittedCall } from '../call/call.ts';
import { idempotencyOf } from '../tools/idempotency.ts';
import { CONTINUED_TASK_META_KEY } from '../workflows/continue-workflow.ts';
import { findGuide, renderGuide } from './guides.ts';
import {
  describeRun,
  finishWorkflow,
  hasFailedStep,
  resumeWorkflow,
  type ToldRun,
} from './resume-workflow.ts';
import { unknownPromptError } from './unknown-prompt-error.ts';
import { WorkflowTask } from '../workflows/workflow-task.ts';

/** The version of what a workflow's task keeps. */
const WORKFLOW_VERSION = 1;

/**
 * Runs a workflow as its caller, in a task of its own, and gives the run. When all
 * steps are done the task is completed; otherwise it stays `working` and the last message hands off. With the id of such a task
 * in `_meta` it goes on with that. A public prompt and a guide are rendered.
 * Errors: `invalid_arguments`, `prompt_not_found`, `task_not_found`, `task_not_workflow`, `task_ended`, `idempotency_conflict`, the refusals of OPEN.
 */
export async function runPrompt(
  { name, arguments: args = {}, _meta = {} }: GetPromptRequest['params'],
  call: AdmittedCall,
): Promise<ToldRun | GetPromptResult> {
  const taskId = _meta[CONTINUED_TASK_META_KEY];
  if (taskId !== undefined) return continuePrompt(taskId);
  const guide = findGuide(name);
  if (guide !== undefined) return renderGuide(guide, args);
  const { tenant, identity } = call;
  const idempotency = await idempotencyOf(`prompt ${name}`, args, _meta, async () => identity.principal);
  const workflow = await workflowFor(name, args, call).catch((refusal: Error) => refusal);
  if (workflow instanceof Error) {
    // What began before the workflow was deleted, or took other arguments, is told all the same.
    const begun = idempotency && (await tenant.tasks.findByIdempotencyKey(idempotency));
    if (begun !== undefined) return repeatRun(begun);
    const isUnknown = workflow instanceof BatonError && workflow.code === 'workflow_not_found';
    const prompt = isUnknown ? await getPublicPrompt({ name, arguments: args }, call) : undefined;
    if (prompt === undefined && isUnknown) throw unknownPromptError(name);
    if (prompt === undefined) throw workflow;
    return prompt;
  }
  const input: WorkflowInput = { workflow, args };
  const opened = await tenant.tasks.open(call.caller, {
    operation: WORKFLOW_OPERATION,
    version: WORKFLOW_VERSION,
    input: input as unknown as JsonObject,
    journal: [],
    waits: [],
    ready: false,
    idempotency,
  });
  if (opened.created) return finishWorkflow(WorkflowTask.opened(call, opened.taskId, input), call);
  return repeatRun(opened.taskId);

  /** A repeated call. A run that was cut off goes on; what has stopped or ended is told as it stands. */
  async function repeatRun(id: string): Promise<ToldRun> {
    const task = await WorkflowTask.read(call, id);
    const isCutOff = task.status === 'working' && (task.progress.stop ?? null) === null;
    return isCutOff ? finishWorkflow(task, call) : describeRun(task);
  }

  async function continuePrompt(id: unknown): Promise<ToldRun> {
    const task = typeof id === 'string' ? await WorkflowTask.read(call, id) : undefined;
    if (task?.input.workflow.name !== name) {
      throw new BatonError(
        'invalid_arguments',
        `_meta.${CONTINUED_TASK_META_KEY}: names no task of '${name}'`,
        {
          field: `_meta.${CONTINUED_TASK_META_KEY}`,
        },
      );
    }
    const isOther = Object.keys(args).length > 0 && canonicalJson(args) !== canonicalJson(task.input.args);
    if (isOther)
      throw promptArgumentError('', 'a task goes on with the arguments that it began with; leave them out');
    return resumeWorkflow(task, call);
  }
}

/** A run goes on that waited for the task of a step, unless that has failed. One that has ended is told as it stands. Errors: those of a run. */
export async function continueRun(taskId: string, call: AdmittedCall): Promise<ToldRun> {
  const task = await WorkflowTask.read(call, taskId);
  const goesOn = task.status === 'working' && !hasFailedStep(task.progress);
  return goesOn ? resumeWorkflow(task, call) : describeRun(task);
}

/** A run as a conversation (MCP, GetPromptResult); what was rendered is one already. */
export function promptResult(run: ToldRun | GetPromptResult): GetPromptResult {
  return 'task' in run ? resultOfRun(run as ToldRun) : run;
}

function resultOfRun({ task, status, messages }: ToldRun): GetPromptResult {
  return {
    description: task.input.workflow.description,
    messages: messages as GetPromptResult['messages'],
    _meta: { task_id: task.taskId, task_status: status },
  };
}

/** Errors: `workflow_not_found`, `invalid_arguments` naming the argument. */
async function workflowFor(
  name: string,
  args: Readonly<Record<string, string>>,
  { tenant }: AdmittedCall,
): Promise<Workflow> {
  const workflow = (await tenant.workflows.get(name)).definition as unknown as Workflow;
  // One without arguments hands over what words a host passes.
  if (workflow.arguments.length > 0) requirePromptArguments(workflow, args);
  return workflow;
}

/**
 * A public prompt with its arguments filled in, or, where it has none, with the words that a host passes behind it; undefined where there is none of the name. MCP's prompts have no system messages: it
 * comes first, as the user's. Errors: `invalid_arguments` naming the argument.
 */
async function getPublicPrompt(
  { name, arguments: args = {} }: GetPromptRequest['params'],
  { tenant }: AdmittedCall,
): Promise<GetPromptResult | undefined> {
  const stored = await tenant.prompts.get(name).catch((thrown: unknown) => {
    if (thrown instanceof BatonError && thrown.code === 'prompt_not_found') return undefined;
    throw thrown;
  });
  const prompt = stored && toPromptDefinition(stored);
  if (prompt === undefined || !prompt.public) return undefined;
  const words = prompt.arguments.length === 0 ? Object.values(args) : [];
  const rendered = renderPrompt(prompt, words.length === 0 ? args : {});
  const messages = rendered.map(({ role, content }) => ({
    role: 'user' as const,
    content: { type: 'text' as const, text: role === 'user' ? [content, ...words].join('\n\n') : content },
  }));
  return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages };
}
