import { canonicalJson, type JsonObject } from '@baton/protocol';
import { openCalls } from '../progress/open-calls.ts';
import { recordOutcome, type RecordedOutcome } from '../progress/record-outcome.ts';
import type { WorkflowInput, WorkflowProgress } from '../progress/workflow-progress.ts';
import { templateContextOf } from '../progress/template-context-of-progress.ts';
import { isOpen, type StepState, turnOf } from '../progress/step-state.ts';
import { expandArguments } from '../templates/expand-template.ts';
import { MAX_SHOWN_LENGTH, ValueBudget } from '../templates/value-budget.ts';

/** A call of a tool that a client made for a workflow; `call` names it among all calls. */
export interface ClientCall {
  readonly call: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly outcome: RecordedOutcome['outcome'];
}

/** What became of a call: the step that it counts for, and how many calls are left. */
export interface RecordedCall {
  readonly progress: WorkflowProgress;
  readonly step: string | undefined;
  readonly remaining: number;
}

/**
 * The progress after a client's call. Whatever the plan says, the call counts: for an open step of its tool (of several
 * the one whose arguments it shares most, then the first), otherwise for the completed one that was recorded last, whose
 * result it replaces, otherwise as an extra. A failure leaves its step open, and takes no result away. A call that was recorded
 * before changes nothing, and neither does one that finds a task which the workflow waits for already.
 */
export function recordCall(
  input: WorkflowInput,
  before: WorkflowProgress,
  { call, tool, arguments: args, outcome }: ClientCall,
): RecordedCall {
  const isRecorded = [...before.steps, ...before.extras.values()].some(
    (state) => 'call' in state && state.call === call,
  );
  const taskId = outcome.kind === 'delegated' || outcome.kind === 'working' ? outcome.taskId : undefined;
  if (isRecorded || (taskId !== undefined && before.children.has(taskId))) return told(input, before, call);
  const index = findStep(input, before, { tool, arguments: args });
  const turn = before.revision + 1;
  const recorded = { source: 'client', call, tool, arguments: args, turn, outcome } as const;
  return told(input, recordOutcome(before, index, recorded), call);
}

function told({ workflow }: WorkflowInput, progress: WorkflowProgress, call: string): RecordedCall {
  const index = progress.steps.findIndex((state) => 'call' in state && state.call === call);
  return {
    progress,
    step: workflow.steps[index]?.name,
    remaining: openCalls(workflow, progress.steps).length,
  };
}

function findStep(
  input: WorkflowInput,
  progress: WorkflowProgress,
  call: Pick<ClientCall, 'tool' | 'arguments'>,
): number | undefined {
  const states = progress.steps;
  const ofTool = input.workflow.steps.flatMap((step, index) => (step.tool === call.tool ? [index] : []));
  const open = ofTool.filter((index) => {
    const state = states[index];
    return state !== undefined && isOpen(state);
  });
  if (open.length === 0) return latest(ofTool, states);
  if (open.length === 1) return open[0];
  const scope = templateContextOf(input, progress);
  const budget = new ValueBudget(MAX_SHOWN_LENGTH);
  const given = new Map(Object.entries(call.arguments).map(([name, value]) => [name, comparable(value)]));
  let [best, most] = [open[0], -1];
  for (const index of open) {
    const templates = input.workflow.steps[index]?.arguments ?? {};
    const shared = countShared(expandArguments(templates, scope, budget).args, given);
    if (shared > most) [best, most] = [index, shared];
  }
  return best;
}

function latest(indexes: readonly number[], states: readonly StepState[]): number | undefined {
  return indexes.toSorted((a, b) => turnOf(states[b]) - turnOf(states[a]))[0];
}

/** How many top-level arguments are equal to those that were `given`, in their comparable form. */
function countShared(planned: JsonObject, given: ReadonlyMap<string, string>): number {
  const same = (name: string) => given.has(name) && given.get(name) === comparable(planned[name]);
  return Object.keys(planned).filter(same).length;
}

/** A number is equal to its text, as tools take one for the other. */
function comparable(value: unknown): string {
  return canonicalJson(typeof value === 'number' ? `${value}` : value);
}
