import type { GetPromptRequest, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import { isEnded } from '@baton/protocol';
import type { AdmittedCall } from '../../call/call.ts';
import { continueRun, promptResult, runPrompt } from '../../prompts/get-prompt.ts';
import type { ToldRun } from '../../prompts/resume-workflow.ts';
import { askForInput, type InputRequired } from './input-required/input-required.ts';
import type { RequestStates, Turn } from './input-required/request-states.ts';
import { resumeTurn } from './input-required/resume-turn.ts';

/**
 * A `prompts/get`: the conversation that it gives, or, where a step of its workflow delegates, what it asks of its client before the run goes
 * on. With a `requestState` it goes on with the run that was given that. Errors: as `runPrompt` and `resumeTurn`.
 */
export async function getPromptOf2026(
  states: RequestStates,
  params: GetPromptRequest['params'],
  call: AdmittedCall,
): Promise<GetPromptResult | InputRequired> {
  const repeated = { method: 'prompts/get', name: params.name, arguments: params.arguments };
  if (call.of2026?.requestState === undefined) return resultOrQuestion(await runPrompt(params, call));
  const { turn, view } = await resumeTurn(states, call, repeated);
  const { workflow = '' } = turn;
  if (!('pending' in view)) return resultOrQuestion(await continueRun(workflow, call));
  const asked = await askForInput({ ...turn, workflow, pending: view.pending }, call, states, repeated);
  return asked ?? promptResult(await continueRun(workflow, call));

  async function resultOrQuestion(run: ToldRun | GetPromptResult): Promise<GetPromptResult | InputRequired> {
    const step = 'task' in run ? delegatedStep(run as ToldRun) : undefined;
    const asked = step && (await askForInput(await readStep(step), call, states, repeated));
    return asked ?? promptResult(run);
  }

  /** A step's task that has ended meanwhile asks nothing: the run goes on with it when the call is repeated. */
  async function readStep({ taskId, workflow }: DelegatedStep) {
    const view = await call.tenant.tasks.read(call.identity, taskId);
    const pending = 'pending' in view ? view.pending : [];
    return { taskId, operation: view.operation, pending, workflow };
  }
}

type DelegatedStep = Pick<Turn, 'taskId'> & { readonly workflow: string };

/** The task of the step at which a run has stopped, since it waits for that. */
function delegatedStep({ task, status, progress: { steps, stop } }: ToldRun): DelegatedStep | undefined {
  const state = stop && !isEnded(status) ? steps[stop.step] : undefined;
  return state?.status === 'delegated' ? { taskId: state.taskId, workflow: task.taskId } : undefined;
}
