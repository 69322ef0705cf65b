import { type BatonError, formatInteractionId, MAX_WAIT_MS } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import { admitCall, edgeAdmittedAccess, MCP_SCOPE } from '../../../call/access.ts';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { resolveDialect } from '../../../call/resolve-dialect.ts';
import { waitUntilTaskEndsOrParks } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import { acceptAnswersTogether, accessWithAnswers, waitAfter } from '../../client-requests/accept-answers.ts';
import { type AskedRequest, readInputResponses } from './input-responses.ts';
import type { RepeatableCall, RequestStates, Turn } from './request-states.ts';

/** So long a result is waited for that makes a task needless. Milliseconds. */
const TASK_WAIT_MS = 1_000;

const ACCESS = edgeAdmittedAccess(MCP_SCOPE);

/** That an interaction has ended without this client is told by the task, which has gone on. */
function hasEndedOtherwise({ code, details }: BatonError): boolean {
  const isEnded = code === 'interaction_expired' || code === 'interaction_cancelled';
  return isEnded || (code === 'interaction_already_answered' && details['byAnother'] === true);
}

/**
 * Goes on with a call that its client repeats: takes the answers to what its last result asked, and waits until the task has ended or asks
 * again. An answer counts once: the same state with the same answers gives the turn that it is now, so that a result that was lost
 * strands nobody; with another answer than this principal gave before nothing of it is taken.
 * Errors: -32602 for a state that is not this call's, for responses that are none, and for another answer than this principal gave before;
 * those of accepting answers and of reading a task.
 */
export async function resumeTurn(
  states: RequestStates,
  call: Call,
  repeated: RepeatableCall,
): Promise<{ readonly call: AdmittedCall; readonly turn: Turn; readonly view: TaskView }> {
  const { requestState, inputResponses } = call.of2026 ?? {};
  const admitted = await admitCall(call, accessWithAnswers(ACCESS, inputResponses));
  const turn = states.openTurn(requestState, admitted, repeated);
  return { call: admitted, turn, view: await answerTurn(turn, inputResponses, admitted) };
}

/** Takes the answers to what a turn asked, and waits for what comes of them. Errors: as `resumeTurn`, but for the state. */
export async function answerTurn(
  { taskId, shown }: Turn,
  inputResponses: unknown,
  call: AdmittedCall,
): Promise<TaskView> {
  const { identity } = call;
  const { inbox } = call.services.store;
  const subscription = inbox.subscribe(call.tenant.tasks.topic(taskId), identity.admittedBy);
  try {
    const asked = new Map<string, AskedRequest>();
    for (const { number, key, method = 'sampling/createMessage' } of shown) {
      const interactionId = formatInteractionId(taskId, number);
      asked.set(key ?? interactionId, { interactionId, method });
    }
    const answers = readInputResponses(inputResponses, (key) => asked.get(key));
    const accepted = await acceptAnswersTogether(answers, call, hasEndedOtherwise);
    // A client that knows tasks is given one where the work goes on.
    const isTask = (await resolveDialect(call))?.dialect === 'task';
    const wait = waitAfter(accepted, isTask ? TASK_WAIT_MS : MAX_WAIT_MS);
    return await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
  } finally {
    subscription.close();
  }
}
