import { BatonError, type JsonObject, toBatonError } from '@baton/protocol';
import {
  applyRunChange,
  type EmbeddedResource,
  type Move,
  type RunChange,
  runSteps,
  type ToolOutcome,
  type WorkflowProgress,
} from '@baton/workflows';
import type { NextCall } from '@baton/store';
import { findAgentTool } from '../agents/agent-tool.ts';
import { admitCallerUnlessAdmitted } from '../call/access.ts';
import type { AdmittedCall, Call } from '../call/call.ts';
import { directiveForPendingInteractions } from '../delegation/directive-for-pending-interactions.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import { readResource } from '../resources/read-resource.ts';
import { outcomeOf, outcomeOfError } from '../workflows/call-outcome.ts';
import type { WorkflowTask } from '../workflows/workflow-task.ts';

/** A step that has not begun after so long is handed off: clients cut calls at 60 s, and a tool may hold one for 10 s. */
const RUN_BUDGET_MS = 20_000;

/**
 * Runs the steps of a workflow that are not done, as its caller, and records each outcome before the next begins. A step that was cut off,
 * or that another run calls at the same time, is called under the same idempotency key: what it changes it changes once.
 * Errors: `task_ended`, `limit_storage`, `unavailable`.
 */
export async function runWorkflow(task: WorkflowTask, call: AdmittedCall): Promise<WorkflowProgress> {
  const begunAt = performance.now();
  const isFirstAttempt = task.isNew;
  let next: NextCall | undefined;
  const run = runSteps(task.input, task.progress);
  for (let step = run.next(); ; ) {
    if (step.done) return step.value;
    try {
      step = run.next(await perform(step.value));
    } catch (thrown) {
      if (!(thrown instanceof UnreadableResource)) throw thrown;
      step = run.throw(thrown.reason);
    }
  }

  async function perform(move: Move): Promise<unknown> {
    switch (move.kind) {
      case 'call': {
        if (isOver()) return { kind: 'out_of_time' } satisfies ToolOutcome;
        const idempotencyKey = `workflow ${task.taskId} ${move.step} ${move.after}`;
        const caller = next?.caller ?? call.caller.forFurtherCall();
        next = undefined;
        const step = { tool: move.tool, args: move.arguments, idempotencyKey };
        return callStep(step, { ...call, caller, isFirstAttempt });
      }
      case 'look':
        return lookAt(move.taskId, call);
      case 'read':
        if (isOver()) throw new UnreadableResource(OVER);
        // Counted as a call of its own, as a step is: a definition may name a thousand resources.
        return embed(move.uri, { ...call, caller: call.caller.forFurtherCall() });
      case 'record':
        next = move.change.stop === undefined ? nextCall(move.change) : undefined;
        await task.change((progress) => applyRunChange(task.input, progress, move.change), next);
        return task.progress;
    }
  }

  function isOver(): boolean {
    return performance.now() - begunAt >= RUN_BUDGET_MS || call.signal().aborted;
  }

  /** The call of the step behind what is recorded, which the same script admits; undefined where the call sees to that itself. */
  function nextCall({ steps }: RunChange): NextCall | undefined {
    const behind = (steps.at(-1)?.[0] ?? -1) + 1;
    const name = task.input.workflow.steps.slice(behind).find(({ tool }) => tool !== undefined)?.tool;
    const access = name === undefined ? undefined : call.services.tools.get(name)?.access;
    if (access?.admittedBy !== 'edge' || isOver()) return undefined;
    return { caller: call.caller.forFurtherCall(), need: access.scopes };
  }
}

/** Calls a step's tool; it is admitted and counted as the call that it is. Never throws for what the tool does. */
async function callStep(
  step: { readonly tool: string; readonly args: JsonObject; readonly idempotencyKey: string },
  stepCall: Call,
): Promise<ToolOutcome> {
  let isOperation = false;
  try {
    const tool = stepCall.services.tools.get(step.tool) ?? (await findAgentTool(step.tool, stepCall));
    if (tool === undefined) throw new BatonError('not_found', `There is no tool '${step.tool}' any more.`);
    isOperation = tool.startTask !== undefined;
    const { structured } = await tool.call(step.args, stepCall, {
      'baton/idempotencyKey': step.idempotencyKey,
    });
    await admitCallerUnlessAdmitted(stepCall, tool.access);
    return outcomeOf(structured as JsonObject, isOperation);
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) stepCall.services.log(thrown);
    return outcomeOfError(error, isOperation);
  }
}

/** How the task of a step stands, as a call of the step's tool would tell it. */
async function lookAt(taskId: string, { tenant, identity }: AdmittedCall): Promise<ToolOutcome> {
  try {
    const view = await tenant.tasks.read(identity, taskId);
    switch (view.status) {
      case 'completed':
        return { kind: 'completed', output: view.result };
      case 'failed':
      case 'cancelled':
        return outcomeOfError(BatonError.fromWire({ ...view.error, taskId }), true);
      case 'working':
      case 'input_required': {
        const directive = directiveForPendingInteractions(taskId, view.operation, view.pending);
        if (directive === undefined) return { kind: 'working', taskId };
        return { kind: 'delegated', taskId, directive: directive as unknown as JsonObject };
      }
    }
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'task_not_found') return outcomeOfError(thrown);
    throw thrown;
  }
}

const OVER = new BatonError('unavailable', 'The time of this prompt was used up.');

class UnreadableResource extends Error {
  readonly reason: BatonError;

  constructor(reason: BatonError) {
    super(reason.message);
    this.reason = reason;
  }
}

async function embed(uri: string, call: AdmittedCall): Promise<EmbeddedResource> {
  try {
    const { contents } = await readResource(uri, call);
    return contents[0] as unknown as EmbeddedResource;
  } catch (thrown) {
    throw new UnreadableResource(
      thrown instanceof RpcError ? new BatonError('not_found', thrown.message) : toBatonError(thrown),
    );
  }
}
