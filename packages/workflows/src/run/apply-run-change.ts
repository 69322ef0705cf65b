import { isRoomFor } from '../progress/truncate-step-state.ts';
import { recordOutcome } from '../progress/record-outcome.ts';
import type { WorkflowInput, WorkflowProgress } from '../progress/workflow-progress.ts';
import { isOpen, turnOf } from '../progress/step-state.ts';
import type { RunChange } from './move.ts';

/**
 * The progress after what a run has done, whatever was recorded since the run saw it: a step that is done stays as it is, and of
 * two outcomes of one step a result counts, otherwise the first.
 */
export function applyRunChange(
  { workflow }: WorkflowInput,
  before: WorkflowProgress,
  { steps, resources, stop }: RunChange,
): WorkflowProgress {
  let progress = before;
  for (const [index, step] of steps) {
    const state = progress.steps[index];
    if (state === undefined || !isOpen(state)) continue;
    if (step.kind === 'shown') {
      progress = { ...progress, steps: progress.steps.with(index, { status: 'shown' }) };
      continue;
    }
    const isResult = step.outcome.kind === 'completed' || step.outcome.kind === 'too_long';
    if (!isResult && turnOf(state) !== step.after) continue;
    progress = recordOutcome(progress, index, {
      source: 'server',
      tool: workflow.steps[index]?.tool ?? '',
      arguments: step.arguments,
      turn: before.revision + 1,
      outcome: step.outcome,
    });
  }
  for (const [index, read] of resources) {
    if (progress.resources[index]?.length !== 0) continue;
    const { length } = JSON.stringify(read);
    if (!isRoomFor(length, progress.size)) continue;
    progress = { ...progress, resources: progress.resources.with(index, read), size: progress.size + length };
  }
  return withStop(progress, stop);
}

/** A run goes on past a step that somebody else has done; at one that somebody else has called it stops for what came of that. */
function withStop(progress: WorkflowProgress, stop: RunChange['stop']): WorkflowProgress {
  if (stop === undefined) return progress;
  if (stop === null) return { ...progress, stop };
  const state = progress.steps[stop.step];
  if (state === undefined || !isOpen(state)) return progress;
  if (state.status === 'open' || (stop.reason !== 'failed' && stop.reason !== 'delegated'))
    return { ...progress, stop };
  const reason = state.status === 'failed' ? 'failed' : 'delegated';
  return { ...progress, stop: { reason, step: stop.step } };
}
