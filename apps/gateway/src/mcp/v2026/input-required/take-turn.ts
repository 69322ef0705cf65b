import { type AgentAnswer, BatonError, isRecord, MAX_WAIT_MS } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import {
  type Access,
  admitCall,
  deferAdmission,
  edgeAdmittedAccess,
  MCP_SCOPE,
  scriptAdmittedAccess,
} from '../../../call/access.ts';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../../delegation/answers/accept-answer.ts';
import { waitUntilTaskEndsOrParks } from '../../../delegation/wait-until-task-ends-or-parks.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { readInputResponses } from './input-responses.ts';
import type { RepeatableCall, RequestStates, Turn } from './request-states.ts';

const ANSWER_ACCESS = scriptAdmittedAccess(MCP_SCOPE);

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
  const { requestState, inputResponses } = call.multiRoundTrip ?? {};
  const admitted = await admitCall(call, accessFor(inputResponses));
  const turn = states.openTurn(requestState, admitted, repeated);
  const { taskId } = turn;
  const { inbox } = call.services.store;
  const subscription = inbox.subscribe(call.tenant.tasks.topic(taskId), admitted.identity.admittedBy);
  try {
    const answers = readInputResponses(inputResponses, turn);
    const accepted = await acceptAll(answers, admitted);
    const wait = {
      event: Math.max(0, ...accepted.map(({ event }) => event)),
      waitMs: MAX_WAIT_MS,
      registered: accepted.length > 0 && accepted.every(({ replayed }) => !replayed),
    };
    const view = await waitUntilTaskEndsOrParks(admitted, taskId, subscription, admitted.identity, wait);
    return { call: admitted, turn, view };
  } finally {
    subscription.close();
  }
}

/** A repeated call that brings answers may overdraw the rate as the answer to the first does. */
function accessFor(inputResponses: unknown): Access<'edge'> {
  const [first] = isRecord(inputResponses) ? Object.keys(inputResponses) : [];
  return { ...edgeAdmittedAccess(MCP_SCOPE), answerTo: first };
}

/**
 * Accepts answers side by side: each counts by itself, whatever becomes of the others. That an interaction has ended without one is told by
 * the task, which has gone on without it.
 */
async function acceptAll(
  answers: ReadonlyMap<string, AgentAnswer>,
  call: AdmittedCall,
): Promise<readonly AcceptedAnswer[]> {
  const { channel } = call.services.store.inbox;
  const unadmitted = deferAdmission(call, ANSWER_ACCESS);
  const accepted = await Promise.all(
    [...answers].map(async ([interactionId, answer]) => {
      try {
        const taken = await acceptAnswer(interactionId, answer, channel, unadmitted);
        const { taskId, replayed, waitedMs } = taken;
        call.logEvent('answered', { taskId, interactionId, replayed, waitedMs });
        return taken;
      } catch (thrown) {
        if (!(thrown instanceof BatonError)) throw thrown;
        if (HAS_ENDED.has(thrown.code)) return undefined;
        throw RpcError.of(thrown);
      }
    }),
  );
  return accepted.filter((one) => one !== undefined);
}

const HAS_ENDED: ReadonlySet<string> = new Set(['interaction_expired', 'interaction_cancelled']);
