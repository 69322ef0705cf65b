import { canonicalJson, type JsonObject } from '@baton/protocol';
import { knownArguments } from '../messages/remaining-calls.ts';
import { keepOutput } from '../run/kept-output.ts';
import { scopeOf } from '../run/scope-of-run.ts';
import { isOpen, type StepState } from '../run/step-state.ts';
import type { ToolOutcome } from '../run/tool-outcome.ts';
import type { WorkflowInput } from '../run/workflow-program.ts';

/** A call of a tool that a client made for a workflow. */
export interface ClientCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly outcome: Exclude<ToolOutcome, { kind: 'out_of_time' | 'interrupted' }>;
}

/** How a workflow stands: its steps, and by tool the latest call that belongs to none of them. */
export interface WorkflowProgress {
  readonly steps: readonly StepState[];
  readonly extras: Readonly<Record<string, StepState>>;
}

/** What became of a call: the step that it counts for, and how many steps are left. */
export interface RecordedProgress {
  readonly progress: WorkflowProgress;
  readonly step: string | undefined;
  readonly remaining: number;
}

/**
 * The progress after a client's call. Whatever the plan says, the call counts: for an open step of its tool (of several
 * the one whose arguments it shares most, then the first), otherwise for the completed one that was recorded last, whose
 * result it replaces, otherwise as an extra. A failure leaves its step open, and takes no result away.
 */
export function recordCall(
  input: WorkflowInput,
  before: WorkflowProgress,
  call: ClientCall,
): RecordedProgress {
  const index = findStep(input, before.steps, call);
  const others = before.steps.filter((_, at) => at !== index);
  const state = stateAfter(call, nextTurn(before), others);
  if (index === undefined) return recordExtra(before, call.tool, state);
  const replacesResult = before.steps[index]?.status === 'completed';
  if (replacesResult && state.status !== 'completed') return recordExtra(before, call.tool, state);
  const steps = before.steps.with(index, state);
  return {
    progress: { steps, extras: before.extras },
    step: input.workflow.steps[index]?.name,
    remaining: countOpen(steps),
  };
}

function recordExtra(before: WorkflowProgress, tool: string, state: StepState): RecordedProgress {
  // A tool's name may be any text: a computed field of a literal is always the object's own.
  const extras = { ...before.extras, [tool]: state };
  return { progress: { steps: before.steps, extras }, step: undefined, remaining: countOpen(before.steps) };
}

export function countOpen(steps: readonly StepState[]): number {
  return steps.filter(isOpen).length;
}

function findStep(input: WorkflowInput, states: readonly StepState[], call: ClientCall): number | undefined {
  const { workflow, args } = input;
  const ofTool = workflow.steps.flatMap((step, index) => (step.tool === call.tool ? [index] : []));
  const open = ofTool.filter((index) => {
    const state = states[index];
    return state !== undefined && isOpen(state);
  });
  if (open.length === 0) return latest(ofTool, states);
  const scope = scopeOf(workflow, args, states);
  let [best, most] = [open[0], -1];
  for (const index of open) {
    const step = workflow.steps[index];
    const shared = step === undefined ? 0 : countShared(knownArguments(step, scope), call.arguments);
    if (shared > most) [best, most] = [index, shared];
  }
  return best;
}

function latest(indexes: readonly number[], states: readonly StepState[]): number | undefined {
  return indexes.toSorted((a, b) => turnOf(states[b]) - turnOf(states[a]))[0];
}

function turnOf(state: StepState | undefined): number {
  return state !== undefined && 'turn' in state ? state.turn : 0;
}

function nextTurn({ steps, extras }: WorkflowProgress): number {
  return Math.max(0, ...steps.map(turnOf), ...Object.values(extras).map(turnOf)) + 1;
}

/** How many top-level arguments are equal. */
function countShared(planned: JsonObject, given: JsonObject): number {
  const same = (name: string) =>
    Object.hasOwn(given, name) && canonicalJson(planned[name]) === canonicalJson(given[name]);
  return Object.keys(planned).filter(same).length;
}

function stateAfter(
  { outcome, arguments: args }: ClientCall,
  turn: number,
  others: readonly StepState[],
): StepState {
  const call = { source: 'client', turn, arguments: args } as const;
  switch (outcome.kind) {
    case 'completed':
      return { ...call, status: 'completed', ...keepOutput(outcome.output, others) };
    case 'too_long':
      return { ...call, status: 'completed', output: undefined, length: outcome.length };
    case 'failed':
      return { ...call, status: 'failed', error: outcome.error, repeat: outcome.repeat };
    case 'refused': {
      const message = outcome.problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
      return { ...call, status: 'failed', error: { code: 'invalid_arguments', message }, repeat: false };
    }
    case 'delegated':
      return { ...call, status: 'delegated', taskId: outcome.taskId, directive: outcome.directive };
    case 'working':
      return { ...call, status: 'delegated', taskId: outcome.taskId, directive: undefined };
  }
}
