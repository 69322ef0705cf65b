import type { Json } from '@baton/protocol';
import { bindingOf, type Workflow } from '../definition/workflow.ts';
import type { Scope } from '../templates/expand-template.ts';
import type { StepState } from './step-state.ts';

/** What the templates of a workflow may refer to, as its steps stand. */
export function scopeOf(
  workflow: Workflow,
  args: Readonly<Record<string, string>>,
  states: readonly StepState[],
): Scope {
  const outputs = new Map<string, { step: string; output: Json | undefined }>();
  for (const [index, step] of workflow.steps.entries()) {
    if (step.tool === undefined) continue;
    const state = states[index];
    const output = state?.status === 'completed' ? state.output : undefined;
    outputs.set(bindingOf(step), { step: step.name, output });
  }
  return { args, outputs };
}
