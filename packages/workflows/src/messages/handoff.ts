import type { JsonObject } from '@baton/protocol';
import type { WorkflowStep } from '../definition/workflow.ts';
import type { WorkflowInput, WorkflowProgress, WorkflowStop } from '../progress/workflow-progress.ts';
import { isOpen, type StepState, type Stop } from '../progress/step-state.ts';
import { type RemainingCall, remainingCalls } from './remaining-calls.ts';

/** Why the run stopped, and the calls that are left, for whoever goes on: a model, mostly. */
export function handoffText(input: WorkflowInput, progress: WorkflowProgress, stop: WorkflowStop): string {
  const items = remainingCalls(input, progress).map((call) => {
    const now = progress.steps[call.step];
    if (now?.status === 'delegated') return [...ownCall(now), ...noteOf(call)];
    const planned = input.workflow.steps[call.step];
    const mark =
      now?.status === 'failed' && planned !== undefined
        ? ` (failed; ${isRetryable(planned, now) ? 'retryable' : 'not retryable as it is'})`
        : '';
    return callLines(call, mark);
  });
  const list = items.map(([first, ...more], index) =>
    [`${index + 1}. ${first}`, ...more.map((line) => `   ${line}`)].join('\n'),
  );
  const reason = stopReason(input, progress, stop);
  if (items.length === 0) return `${reason} All steps are done; the task stays open until you end it.`;
  return [`${reason}\n`, 'To continue the workflow, make these tool calls:', ...list].join('\n');
}

/** Why the run stopped, as a sentence or two. */
export function stopReason(
  { workflow }: WorkflowInput,
  { steps }: WorkflowProgress,
  stop: WorkflowStop,
): string {
  const step = workflow.steps[stop.step];
  const state = steps[stop.step];
  if (step === undefined || state === undefined)
    throw new RangeError(`the run stopped at step ${stop.step}, which is none`);
  const shown = `Step ${stop.step + 1} ('${step.name}')`;
  return isOpen(state)
    ? reasonText(shown, step, state, stop)
    : `The run stopped at ${shown.toLowerCase()}, which has been done since.`;
}

function isRetryable(step: WorkflowStep, state: Extract<StepState, { status: 'failed' }>): boolean {
  return step.retryable || state.repeat;
}

function reasonText(shown: string, step: WorkflowStep, state: StepState, stop: Stop): string {
  switch (stop.reason) {
    case 'failed':
      if (state.status !== 'failed') return `${shown} failed.`;
      return `${shown} failed: ${asSentence(state.error.message)} ${
        isRetryable(step, state)
          ? 'The same call may succeed when it is repeated.'
          : 'The same call would fail again: change its arguments, or see to the cause first.'
      }`;
    case 'delegated':
      return state.status === 'delegated' && state.directive === undefined
        ? `${shown} was begun and goes on by itself. Wait until its task has ended.`
        : `${shown} waits for an LLM call that you make. Its request stands above, under llmRequestForAgent: make that call, and give its answer to agent_llm.`;
    case 'out_of_time':
      return `The time of this prompt was used up before ${shown.toLowerCase()}, of which nothing has run.`;
    case 'interrupted':
      return `The run was cut off while ${shown.toLowerCase()} was being called: whether it took effect is unknown. Check before you repeat it.`;
    case 'unresolved':
      return `${shown} was not called, since not all of its arguments are known: ${asSentence(stop.problems.join('; '))}`;
    case 'no_output':
      return `${shown} was not called, since it depends on a step without output: ${asSentence(stop.problems.join('; '))}`;
    case 'refused':
      return `${shown} was not called, since its arguments do not fit ${step.tool}: ${asSentence(stop.problems.join('; '))} Add or correct them.`;
    case 'resource':
      return `${shown} was not begun, since the resource ${stop.uri} cannot be read: ${asSentence(stop.error.message)}`;
  }
}

function callLines(call: RemainingCall, mark: string): string[] {
  if (call.tool !== undefined)
    return [`Call ${call.tool} with ${JSON.stringify(call.arguments)}${mark}`, ...noteOf(call)];
  const [first, ...more] = [
    ...call.resources.map((uri) => `Read the resource ${uri}`),
    ...(call.guidance === undefined ? [] : [oneLine(call.guidance)]),
  ];
  return [first ?? call.name, ...more];
}

type DelegatedStep = Extract<StepState, { status: 'delegated' }>;

/** The call that a delegated step needs next, instead of its own. */
export function callForDelegated({ taskId, directive }: DelegatedStep): {
  tool: string;
  arguments: JsonObject;
} {
  if (directive === undefined) return { tool: 'task_status', arguments: { taskId, waitMs: 25_000 } };
  const { interactionId = null, serviceType } = directive;
  return { tool: 'agent_llm', arguments: { interactionId, agentLLMResponse: answerOutline(serviceType) } };
}

/** The same as text. */
function ownCall(state: DelegatedStep): string[] {
  const { tool, arguments: args } = callForDelegated(state);
  const line = `Call ${tool} with ${JSON.stringify(args)}`;
  const pendingInteractions = state.directive?.['pendingInteractions'];
  const others = Array.isArray(pendingInteractions) ? pendingInteractions.length : 0;
  return others === 0
    ? [line]
    : [line, `Further requests of this step wait too: pending_interactions lists them.`];
}

function answerOutline(serviceType: unknown): JsonObject {
  const data: JsonObject =
    serviceType === 'generateObject'
      ? { object: '<the object of your LLM call>' }
      : { text: '<the text of your LLM call>' };
  return { status: 'success', data };
}

function noteOf({ guidance }: RemainingCall): string[] {
  return guidance === undefined ? [] : [`Note: ${oneLine(guidance)}`];
}

/** An item of the list stays one line, whatever a definition says. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function asSentence(text: string): string {
  const line = oneLine(text);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
