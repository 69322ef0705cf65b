import { type AgentAnswer, BatonError, isRecord } from '@baton/protocol';
import { deferAdmission, MCP_OR_AGENT_SCOPE, scriptAdmittedAccess } from '../../call/access.ts';
import type { Access, Call } from '../../call/call.ts';
import { type AcceptedAnswer, acceptAnswer } from '../../delegation/answers/accept-answer.ts';

const ANSWER_ACCESS = scriptAdmittedAccess(MCP_OR_AGENT_SCOPE);

/** A request that brings answers may overdraw the rate as the answer to the first does. */
export function accessWithAnswers(access: Access<'edge'>, inputResponses: unknown): Access<'edge'> {
  const [first] = isRecord(inputResponses) ? Object.keys(inputResponses) : [];
  return { ...access, answerTo: first };
}

/** So many answers of one request are accepted at once. */
const AT_ONCE = 16;

/**
 * Accepts answers: each counts by itself, against the rate too, whatever becomes of the others; what is refused with an error that
 * `isIgnored` is left out. Errors: the other refusals of ACCEPT_ANSWER.
 */
export async function acceptAnswers(
  answers: ReadonlyMap<string, AgentAnswer>,
  call: Call,
  isIgnored: (error: BatonError) => boolean,
): Promise<readonly AcceptedAnswer[]> {
  const accepted: AcceptedAnswer[] = [];
  const entries = [...answers];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE).map(async ([interactionId, answer], at) => {
      // The request itself is counted as the answer to the first.
      const own = from + at === 0 ? call : { ...call, caller: call.caller.forFurtherCall() };
      try {
        return await acceptOne(interactionId, answer, own);
      } catch (thrown) {
        if (thrown instanceof BatonError && isIgnored(thrown)) return undefined;
        throw thrown;
      }
    });
    for (const one of await Promise.all(some)) if (one !== undefined) accepted.push(one);
  }
  return accepted;
}

async function acceptOne(interactionId: string, answer: AgentAnswer, call: Call): Promise<AcceptedAnswer> {
  const { channel } = call.services.store.inbox;
  const taken = await acceptAnswer(interactionId, answer, channel, deferAdmission(call, ANSWER_ACCESS));
  const { taskId, replayed, waitedMs } = taken;
  call.logEvent('answered', { taskId, interactionId, replayed, waitedMs });
  return taken;
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
