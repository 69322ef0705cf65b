import type { JsonObject } from '@baton/protocol';
import type { WorkflowStep } from '../definition/workflow.ts';
import type { WorkflowInput, WorkflowProgress } from '../progress/workflow-progress.ts';
import { templateContextOf } from '../progress/template-context-of-progress.ts';
import { isOpen } from '../progress/step-state.ts';
import {
  expandArguments,
  expandGuidance,
  expandUri,
  namesOnly,
  type TemplateContext,
} from '../templates/expand-template.ts';

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

/** Characters of JSON that the arguments of all calls that are left may have in a handoff. */
export const MAX_SHOWN_LENGTH = 262_144;

/** What is left of a workflow as it stands, in the order of the plan. */
export function remainingCalls(input: WorkflowInput, progress: WorkflowProgress): RemainingCall[] {
  const scope = templateContextOf(input, progress);
  const shownArguments = fillWithin(MAX_SHOWN_LENGTH, scope);
  return input.workflow.steps.flatMap((step, index): RemainingCall[] => {
    const state = progress.steps[index];
    if (state === undefined || !isOpen(state)) return [];
    const { name, tool } = step;
    const guidance = step.guidance === undefined ? undefined : expandGuidance(step.guidance, scope);
    if (tool !== undefined) return [{ step: index, name, tool, arguments: shownArguments(step), guidance }];
    const resources = step.resources.flatMap((uri) => {
      const expanded = expandUri(uri, scope);
      return expanded.kind === 'expanded' ? [expanded.uri] : [];
    });
    return [{ step: index, name, tool, resources, guidance }];
  });
}

/**
 * Fills the arguments of calls in until they have so many characters in all. From the first that does not fit, placeholders stand
 * for every value: what they name stands in the trace.
 */
function fillWithin(most: number, scope: TemplateContext): (step: WorkflowStep) => JsonObject {
  let left = most;
  const named = namesOnly(scope);
  return (step) => {
    if (left > 0) {
      const known = expandArguments(step.arguments ?? {}, scope);
      const { length } = known.kind === 'expanded' ? JSON.stringify(known.args) : { length: Infinity };
      if (known.kind === 'expanded' && length <= left) {
        left -= length;
        return known.args;
      }
      left = 0;
    }
    return knownArguments(step, named);
  };
}

/** The arguments of a step's call, with placeholders for what is unknown; those that would grow too large are left out. */
export function knownArguments(
  { arguments: templates = {} }: WorkflowStep,
  scope: TemplateContext,
): JsonObject {
  const expanded = expandArguments(templates, scope);
  return expanded.kind === 'expanded' ? expanded.args : {};
}
