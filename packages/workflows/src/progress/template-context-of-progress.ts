import type { Json, JsonObject } from '@baton/protocol';
import { workflowVariables } from './workflow-variables.ts';
import { bindingOf } from '../definition/workflow.ts';
import type { WorkflowInput, WorkflowProgress } from './workflow-progress.ts';
import type { TemplateContext } from '../templates/expand-template.ts';

/** What the templates of a workflow may refer to, as it stands. */
export function templateContextOf(input: WorkflowInput, progress: WorkflowProgress): TemplateContext {
  const outputs = new Map<string, { step: string; output: Json | undefined }>();
  for (const [index, step] of input.workflow.steps.entries()) {
    if (step.tool === undefined) continue;
    const state = progress.steps[index];
    const output = state?.status === 'completed' ? state.output : undefined;
    outputs.set(bindingOf(step), { step: step.name, output });
  }
  let variables: JsonObject | undefined;
  return { args: input.args, outputs, variables: () => (variables ??= workflowVariables(input, progress)) };
}
