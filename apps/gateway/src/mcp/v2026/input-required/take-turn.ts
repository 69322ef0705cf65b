import { type ErrorCode, formatInteractionId, MAX_WAIT_MS } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import { admitCall, edgeAdmittedAccess, MCP_SCOPE } from '../../../call/access.ts';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { waitUntilTaskEndsOrParks } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import type { ClientRequest } from '../../client-requests/client-requests.ts';
import { acceptAnswers, accessWithAnswers, waitAfter } from '../../client-requests/accept-answers.ts';
import { readInputResponses } from './input-responses.ts';
import type { RepeatableCall, RequestStates, Turn } from './request-states.ts';

const ACCESS = edgeAdmittedAccess(MCP_SCOPE);

/** That an interaction has ended without an answer is told by the task, which has gone on without it. */
const IGNORED: ReadonlySet<ErrorCode> = new Set(['interaction_expired', 'interaction_cancelled']);

/**
 * Goes on with a call that its client repeats: takes the answers to what its last result asked, and waits until the task has ended or asks
 * again. An answer counts once: the same state with the same answers gives the turn that it is now, so that a result that was lost
 * strands nobody.
 * Errors: -32602 for a state that is not this call's, for responses that are none, and for another answer than was taken before;
 * those of accepting answers and of reading a task.
 */
export async function takeTurn(
  states: RequestStates,
  call: Call,
  repeated: RepeatableCall,
): Promise<{ readonly call: AdmittedCall; readonly turn: Turn; readonly view: TaskView }> {
  const { requestState, inputResponses } = call.of2026 ?? {};
  const admitted = await admitCall(call, accessWithAnswers(ACCESS, inputResponses));
  const { identity } = admitted;
  const turn = states.openTurn(requestState, admitted, repeated);
  const { taskId, shown } = turn;
  const { inbox } = call.services.store;
  const subscription = inbox.subscribe(call.tenant.tasks.topic(taskId), identity.admittedBy);
  try {
    const asked = new Map(
      shown.map((number) => [formatInteractionId(taskId, number), methodOf(number, turn)]),
    );
    const answers = readInputResponses(inputResponses, (key) => asked.get(key));
    const accepted = await acceptAnswers(answers, admitted, IGNORED);
    const wait = waitAfter(accepted, MAX_WAIT_MS);
    const view = await waitUntilTaskEndsOrParks(admitted, taskId, subscription, identity, wait);
    return { call: admitted, turn, view };
  } finally {
    subscription.close();
  }
}

function methodOf(number: number, { persons = [] }: Turn): ClientRequest['method'] {
  return persons.includes(number) ? 'elicitation/create' : 'sampling/createMessage';
}
