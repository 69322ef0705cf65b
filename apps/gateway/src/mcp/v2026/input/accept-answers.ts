import { type AgentAnswer, BatonError, type ErrorCode, isRecord } from '@baton/protocol';
import {
  type Access,
  deferAdmission,
  MCP_OR_AGENT_SCOPE,
  scriptAdmittedAccess,
} from '../../../call/access.ts';
import type { AdmittedCall } from '../../../call/call.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../../delegation/answers/accept-answer.ts';

const ANSWER_ACCESS = scriptAdmittedAccess(MCP_OR_AGENT_SCOPE);

/** A request that brings answers may overdraw the rate as the answer to the first does. */
export function accessWithAnswers(access: Access<'edge'>, inputResponses: unknown): Access<'edge'> {
  const [first] = isRecord(inputResponses) ? Object.keys(inputResponses) : [];
  return { ...access, answerTo: first };
}

/**
 * Accepts answers side by side: each counts by itself, whatever becomes of the others; what is refused for one of the reasons in `ignored` is
 * left out. Errors: the other refusals of ACCEPT_ANSWER.
 */
export async function acceptAnswers(
  answers: ReadonlyMap<string, AgentAnswer>,
  call: AdmittedCall,
  ignored: ReadonlySet<ErrorCode>,
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
        if (thrown instanceof BatonError && ignored.has(thrown.code)) return undefined;
        throw thrown;
      }
    }),
  );
  return accepted.filter((one) => one !== undefined);
}

/** The wait for what comes of answers that were accepted just now. */
export function waitAfter(accepted: readonly AcceptedAnswer[], waitMs: number) {
  return {
    event: Math.max(0, ...accepted.map(({ event }) => event)),
    waitMs,
    // The script that accepts an answer registers this replica; one that finds it accepted before does not.
    registered: accepted.length > 0 && accepted.every(({ replayed }) => !replayed),
  };
}
