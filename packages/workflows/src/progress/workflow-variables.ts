import type { Json, JsonObject } from '@baton/protocol';
import type { Workflow } from '../definition/workflow.ts';
import { openCalls } from './open-calls.ts';
import type { WorkflowInput, WorkflowProgress } from './workflow-progress.ts';
import { isOpen, type StepState } from './step-state.ts';

/** A workflow's progress as its task's variables show it: `_workflow.progress`, `.result.<step>` and `.extra.<tool>`. */
export function workflowVariables(
  { workflow }: WorkflowInput,
  { steps: recorded, extras }: WorkflowProgress,
): JsonObject {
  const steps = withShown(workflow, recorded);
  const results = workflow.steps.flatMap(({ name }, index): [string, Json][] => {
    const state = steps[index];
    return state?.status === 'completed' ? [[`_workflow.result.${name}`, outputOf(state)]] : [];
  });
  return Object.fromEntries([
    [
      '_workflow.progress',
      {
        goal: workflow.description,
        completed: steps.filter((state) => !isOpen(state)).length,
        total: steps.length,
        steps: workflow.steps.map(({ name, tool }, index) => ({
          name,
          ...(tool === undefined ? {} : { tool }),
          ...standing(steps[index]),
        })),
      },
    ],
    ...results,
    ...[...extras].map(([tool, state]): [string, Json] => [`_workflow.extra.${tool}`, extraOf(state)]),
  ]);
}

/** A step without a tool is done when all calls before it are, whoever made them. */
function withShown(workflow: Workflow, steps: readonly StepState[]): readonly StepState[] {
  const [firstLeft = steps.length] = openCalls(workflow, steps);
  return steps.map((state, index) =>
    index < firstLeft && state.status === 'open' ? { status: 'shown' } : state,
  );
}

function standing(state: StepState | undefined): JsonObject {
  if (state === undefined || state.status === 'open' || state.status === 'shown')
    return { status: state?.status ?? 'open' };
  const { status, source } = state;
  return state.status === 'failed'
    ? { status, source, error: { ...state.error } as JsonObject }
    : { status, source };
}

function outputOf(state: Extract<StepState, { status: 'completed' }>): Json {
  return state.output ?? { omitted: `${state.length} characters of JSON` };
}

function extraOf(state: StepState): Json {
  return state.status === 'completed' ? outputOf(state) : standing(state);
}
