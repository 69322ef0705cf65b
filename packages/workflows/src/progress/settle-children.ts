import { BatonError } from '@baton/protocol';
import { recordOutcome } from './record-outcome.ts';
import type { RecordedOutcome } from './record-outcome.ts';
import type { ChildCall, ChildEnd, WorkflowProgress } from './workflow-progress.ts';

/** The progress in which every task that has ended counts for the step that started it, in the order of their ends. */
export function settleChildren(stored: WorkflowProgress): WorkflowProgress {
  let progress = stored;
  const ends = [...stored.ends].toSorted(([, a], [, b]) => a.turn - b.turn);
  for (const [taskId, end] of ends) {
    const child = progress.children.get(taskId);
    if (child !== undefined) progress = settleChild(progress, taskId, child, end);
  }
  return ends.length === 0 ? stored : { ...progress, ends: new Map() };
}

function settleChild(
  before: WorkflowProgress,
  taskId: string,
  { step, tool, source, arguments: args }: ChildCall,
  end: ChildEnd,
): WorkflowProgress {
  const waits = (state: WorkflowProgress['steps'][number] | undefined) =>
    state?.status === 'delegated' && state.taskId === taskId;
  const children = new Map(before.children);
  children.delete(taskId);
  // What showed that the task goes on is over, whichever place the end takes.
  const extras = new Map(before.extras);
  if (waits(extras.get(tool))) extras.delete(tool);
  const ownStep = step !== undefined && waits(before.steps[step]);
  const steps = ownStep ? before.steps.with(step, { status: 'open' }) : before.steps;
  return recordOutcome({ ...before, children, extras, steps }, step, {
    source,
    tool,
    arguments: args,
    turn: end.turn,
    outcome: outcomeOf(end),
  });
}

export function outcomeOf(end: Omit<ChildEnd, 'turn'> & ChildEnd): RecordedOutcome['outcome'] {
  if (end.status !== 'completed') {
    return { kind: 'failed', error: end.outcome, repeat: BatonError.fromWire(end.outcome).row.repeat };
  }
  return 'length' in end
    ? { kind: 'too_long', length: end.length }
    : { kind: 'completed', output: end.outcome };
}
