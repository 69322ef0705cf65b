import type { JsonObject } from '@baton/protocol';
import type { WorkflowInput, WorkflowProgress } from '../progress/workflow-progress.ts';
import { templateContextOf } from '../progress/template-context-of-progress.ts';
import { isOpen } from '../progress/step-state.ts';
import { expandArguments, expandGuidance, expandUri } from '../templates/expand-template.ts';
import { MAX_SHOWN_LENGTH, ValueBudget } from '../templates/value-budget.ts';

/** Something that is left to do: the call of a step's tool, or a step without a tool. */
export type RemainingCall =
  | {
      readonly step: number;
      readonly name: string;
      readonly tool: string;
      /** Both with what is known by now; placeholders stand for the rest. */
      readonly arguments: JsonObject;
      readonly guidance: string | undefined;
    }
  | {
      readonly step: number;
      readonly name: string;
      readonly tool: undefined;
      readonly resources: readonly string[];
      readonly guidance: string | undefined;
    };

/**
 * What is left of a workflow as it stands, in the order of the plan. Values take `MAX_SHOWN_LENGTH` characters in arguments, URIs and
 * guidance of all steps together; from the first that has no room, their names stand there: what they name stands in the trace.
 */
export function remainingCalls(input: WorkflowInput, progress: WorkflowProgress): RemainingCall[] {
  const scope = templateContextOf(input, progress);
  const budget = new ValueBudget(MAX_SHOWN_LENGTH);
  return input.workflow.steps.flatMap((step, index): RemainingCall[] => {
    const state = progress.steps[index];
    if (state === undefined || !isOpen(state)) return [];
    const { name, tool } = step;
    const note = () =>
      step.guidance === undefined ? undefined : expandGuidance(step.guidance, scope, budget);
    if (tool === undefined) {
      const resources = step.resources.map((template) => expandUri(template, scope, budget).uri);
      return [{ step: index, name, tool, resources, guidance: note() }];
    }
    const { args } = expandArguments(step.arguments ?? {}, scope, budget);
    return [{ step: index, name, tool, arguments: args, guidance: note() }];
  });
}
