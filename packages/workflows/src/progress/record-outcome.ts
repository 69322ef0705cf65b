import type { JsonObject } from '@baton/protocol';
import type { StepSource, StepState } from './step-state.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import { truncateArguments, truncateStepState } from './truncate-step-state.ts';
import type { WorkflowProgress } from './workflow-progress.ts';

/** A call whose outcome is recorded. */
export interface RecordedOutcome {
  readonly source: StepSource;
  /** Names the call, so that it is recorded once however often that is tried. */
  readonly call?: string | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly turn: number;
  readonly outcome: Exclude<ToolOutcome, { kind: 'out_of_time' | 'interrupted' }>;
}

/** Tasks that a workflow waits for at once; of more, the end of the oldest does not count. */
const MAX_CHILDREN = 100;

/**
 * The progress after a call that counts for the step at `index`, or beside the steps. The latest result wins; a failure or a task
 * that goes on takes no result away, and a failure no task that goes on: it then stands beside the steps.
 */
export function recordOutcome(
  before: WorkflowProgress,
  index: number | undefined,
  recorded: RecordedOutcome,
): WorkflowProgress {
  const { outcome, tool } = recorded;
  const childId = outcome.kind === 'delegated' || outcome.kind === 'working' ? outcome.taskId : undefined;
  const linked = childId === undefined ? before : withChild(before, childId, index, recorded);
  const current = index === undefined ? undefined : before.steps[index];
  const isResult = outcome.kind === 'completed' || outcome.kind === 'too_long';
  const takesTheStep =
    current !== undefined &&
    (isResult || (current.status !== 'completed' && !(isFailure(outcome) && current.status === 'delegated')));
  const was = takesTheStep ? current : before.extras.get(tool);
  const state = truncateStepState(stateAfter(recorded), linked.size - keptBy(was));
  const size = linked.size - keptBy(was) + keptBy(state);
  if (index !== undefined && takesTheStep) return { ...linked, steps: linked.steps.with(index, state), size };
  return { ...linked, extras: new Map(linked.extras).set(tool, state), size };
}

function isFailure({ kind }: ToolOutcome): boolean {
  return kind === 'failed' || kind === 'refused';
}

/** What a state counts of the characters that are kept: about, and the same whenever it is asked. */
function keptBy(state: StepState | undefined): number {
  if (state?.status === 'completed') return state.output === undefined ? 0 : state.length;
  if (state?.status === 'delegated' && state.directive !== undefined)
    return JSON.stringify(state.directive).length;
  return 0;
}

function withChild(
  progress: WorkflowProgress,
  taskId: string,
  step: number | undefined,
  { tool, source, turn, arguments: args }: RecordedOutcome,
): WorkflowProgress {
  const children = new Map(progress.children);
  children.set(taskId, { tool, step, source, turn, arguments: truncateArguments(args, progress.size) });
  if (children.size > MAX_CHILDREN) {
    const [oldest] = [...children].toSorted(([, a], [, b]) => a.turn - b.turn);
    if (oldest !== undefined) children.delete(oldest[0]);
  }
  return { ...progress, children };
}

function stateAfter({ source, call, turn, arguments: args, outcome }: RecordedOutcome): StepState {
  const made = { source, turn, arguments: args, ...(call === undefined ? {} : { call }) } as const;
  switch (outcome.kind) {
    case 'completed':
      return {
        ...made,
        status: 'completed',
        output: outcome.output,
        length: JSON.stringify(outcome.output).length,
      };
    case 'too_long':
      return { ...made, status: 'completed', output: undefined, length: outcome.length };
    case 'failed':
      return {
        ...made,
        status: 'failed',
        error: outcome.error,
        repeat: outcome.repeat,
        ...(outcome.taskId === undefined ? {} : { taskId: outcome.taskId }),
      };
    case 'refused': {
      const message = outcome.problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
      return { ...made, status: 'failed', error: { code: 'invalid_arguments', message }, repeat: false };
    }
    case 'delegated':
      return { ...made, status: 'delegated', taskId: outcome.taskId, directive: outcome.directive };
    case 'working':
      return { ...made, status: 'delegated', taskId: outcome.taskId, directive: undefined };
  }
}
