import type { Workflow } from '../definition/workflow.ts';
import { isOpen, type StepState } from './step-state.ts';

/** The steps whose calls are left, as their places in the plan. Steps without a tool are no calls. */
export function openCalls({ steps: planned }: Workflow, steps: readonly StepState[]): number[] {
  return steps.flatMap((state, index) =>
    isOpen(state) && planned[index]?.tool !== undefined ? [index] : [],
  );
}
