import { type AgentAnswer, BatonError, isRecord } from '@baton/protocol';
import { deferAdmission, MCP_OR_AGENT_SCOPE, scriptAdmittedAccess } from '../../call/access.ts';
import type { Access, Call } from '../../call/call.ts';
import {
  type AcceptedAnswer,
  acceptAnswer,
  type AnswersById,
} from '../../delegation/answers/accept-answer.ts';

const ANSWER_ACCESS = scriptAdmittedAccess(MCP_OR_AGENT_SCOPE);

/** A request that brings answers may overdraw the rate as the answer to the first does. */
export function accessWithAnswers(access: Access<'edge'>, inputResponses: unknown): Access<'edge'> {
  const [first] = isRecord(inputResponses) ? Object.keys(inputResponses) : [];
  return { ...access, answerTo: first };
}

/** So many answers of one request are accepted at once. */
const AT_ONCE = 16;

/** Whether an answer that is refused with this error is left out, and the others count. */
type IsIgnored = (error: BatonError) => boolean;

/**
 * Accepts answers: each counts by itself, against the rate too, whatever becomes of the others; what is refused with an error that
 * `isIgnored` is left out. Errors: the other refusals of ACCEPT_ANSWER.
 */
export async function acceptAnswers(
  answers: AnswersById,
  call: Call,
  isIgnored: IsIgnored,
): Promise<readonly AcceptedAnswer[]> {
  return acceptEach(postedAnswers(answers, call), isIgnored);
}

/**
 * The same for answers to interactions of one task, of which none is taken where this principal has answered one of them otherwise before:
 * the script that accepts the first looks at all of them.
 */
export async function acceptAnswersTogether(
  answers: AnswersById,
  call: Call,
  isIgnored: IsIgnored,
): Promise<readonly AcceptedAnswer[]> {
  const [first, ...others] = postedAnswers(answers, call);
  if (first === undefined) return [];
  const beside = new Map(others.map(({ interactionId, answer }) => [interactionId, answer]));
  const accepted = await acceptEach([{ ...first, beside }], isIgnored);
  return [...accepted, ...(await acceptEach(others, isIgnored))];
}

interface PostedAnswer {
  readonly interactionId: string;
  readonly answer: AgentAnswer;
  readonly call: Call;
  readonly beside?: AnswersById;
}

/** The request itself is counted as the answer to the first. */
function postedAnswers(answers: AnswersById, call: Call): readonly PostedAnswer[] {
  return [...answers].map(([interactionId, answer], at) => ({
    interactionId,
    answer,
    call: at === 0 ? call : { ...call, caller: call.caller.forFurtherCall() },
  }));
}

async function acceptEach(
  posted: readonly PostedAnswer[],
  isIgnored: IsIgnored,
): Promise<readonly AcceptedAnswer[]> {
  const accepted: AcceptedAnswer[] = [];
  for (let from = 0; from < posted.length; from += AT_ONCE) {
    const some = posted.slice(from, from + AT_ONCE).map(async (one) => {
      try {
        return await acceptOne(one);
      } catch (thrown) {
        if (thrown instanceof BatonError && isIgnored(thrown)) return undefined;
        throw thrown;
      }
    });
    for (const one of await Promise.all(some)) if (one !== undefined) accepted.push(one);
  }
  return accepted;
}

async function acceptOne({ interactionId, answer, call, beside }: PostedAnswer): Promise<AcceptedAnswer> {
  const { channel } = call.services.store.inbox;
  const unadmitted = deferAdmission(call, ANSWER_ACCESS);
  const taken = await acceptAnswer(interactionId, answer, channel, unadmitted, beside && { beside });
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
