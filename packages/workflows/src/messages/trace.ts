import type { TaskStatus } from '@baton/protocol';
import type { Workflow, WorkflowStep } from '../definition/workflow.ts';
import type { WorkflowInput, WorkflowProgress, WorkflowStop } from '../progress/workflow-progress.ts';
import { templateContextOf } from '../progress/template-context-of-progress.ts';
import type { StepState } from '../progress/step-state.ts';
import { expandGuidance } from '../templates/expand-template.ts';
import { MAX_SHOWN_LENGTH, ValueBudget } from '../templates/value-budget.ts';
import { handoffText, stopReason } from './handoff.ts';
import { assistantText, type PromptMessage, userResource, userText } from './prompt-message.ts';

/**
 * A run as the conversation that it stands for: what the user wants, the plan, each call with its result, and then what
 * is left to do, unless its task has `ended` meanwhile. The task's id is not in it.
 */
export function traceMessages(
  input: WorkflowInput,
  progress: WorkflowProgress,
  ended?: TaskStatus,
): PromptMessage[] {
  const { workflow } = input;
  const stop = progress.stop ?? null;
  const scope = templateContextOf(input, progress);
  const budget = new ValueBudget(MAX_SHOWN_LENGTH);
  return [
    userText(goalText(input)),
    assistantText(planText(workflow)),
    ...workflow.steps.flatMap((step, index) => {
      const state = progress.steps[index];
      const reached = stop === null || index <= stop.step || state?.status === 'completed';
      if (state === undefined || !reached) return [];
      return stepMessages(step, state, progress.resources[index] ?? [], (text) =>
        expandGuidance(text, scope, budget),
      );
    }),
    assistantText(stop === null ? allDoneText(workflow) : lastText(input, progress, stop, ended)),
  ];
}

function lastText(
  input: WorkflowInput,
  progress: WorkflowProgress,
  stop: WorkflowStop,
  ended: TaskStatus | undefined,
): string {
  if (ended === undefined) return handoffText(input, progress, stop);
  // Whether a call took effect is worth knowing whatever became of the task.
  const reason = stop.reason === 'interrupted' ? `${stopReason(input, progress, stop)} ` : '';
  return `${reason}This workflow has been ended: it is ${ended}. Nothing is left to do for it.`;
}

function goalText({ workflow, args }: WorkflowInput): string {
  // Words that a host passes to a workflow without arguments are the user's.
  const words = workflow.arguments.length === 0 ? Object.values(args) : [];
  const given = workflow.arguments.filter(({ name }) => Object.hasOwn(args, name));
  const lines = given.map(({ name }) => `- ${name}: ${JSON.stringify(args[name])}`);
  return [
    `I want to ${workflow.description}`,
    ...(lines.length === 0 ? [] : ['', 'Parameters:', ...lines]),
    ...words.flatMap((text) => ['', text]),
  ].join('\n');
}

function planText({ steps }: Workflow): string {
  const lines = steps.map(
    ({ name, tool }, index) =>
      `${index + 1}. ${name}${tool === undefined || tool === name ? '' : `: ${tool}`}`,
  );
  return ["Here's my plan:", ...lines].join('\n');
}

function allDoneText({ steps }: Workflow): string {
  return steps.length === 1
    ? 'The step is done; nothing is left to do.'
    : `All ${steps.length} steps are done; nothing is left to do.`;
}

function stepMessages(
  { guidance, tool }: WorkflowStep,
  state: StepState,
  resources: WorkflowProgress['resources'][number],
  fillIn: (guidance: string) => string,
): PromptMessage[] {
  const messages = guidance === undefined ? [] : [assistantText(fillIn(guidance))];
  messages.push(...resources.map(userResource));
  if (tool === undefined || state.status === 'open' || state.status === 'shown') return messages;
  const call = `Calling tool '${tool}' with parameters:\n${JSON.stringify(state.arguments, null, 2)}`;
  return [...messages, assistantText(call), userText(outcomeText(state))];
}

function outcomeText(state: Exclude<StepState, { status: 'open' | 'shown' }>): string {
  switch (state.status) {
    case 'completed':
      return state.output === undefined
        ? `Result: ${state.length} characters of JSON, more than a workflow keeps. Call the tool again where you need it.`
        : `Result:\n${JSON.stringify(state.output)}`;
    case 'failed':
      return `Error:\n${state.error.code}: ${state.error.message}`;
    case 'delegated':
      return state.directive === undefined
        ? `The work goes on as task ${state.taskId}.`
        : `Result:\n${JSON.stringify(state.directive)}`;
  }
}
