import { type AgentAnswer, answerAsMessage, type LlmRequest } from '@baton/protocol';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import type { RequestEvent } from '../api/events.ts';
import { AnswerFailure, toAnswerFailure } from '../api/answer-failure.ts';
import type { AnswerChecker } from './answer-checker.ts';
import type { Lease } from './lease.ts';
import { backoff, type EndpointThrottle, pause } from './throttle.ts';
import { addUsage } from '../api/usage.ts';

/**
 * Makes the LLM call and gives what Baton takes as its `data`: `{ text }`, `{ object }` or the bare object, with
 * `toolCalls`, `model` and `usage` where there are any. Throws an AnswerFailure to say what kind of failure it was.
 * `signal` is aborted when the result is not wanted any more.
 */
export type AnswerFunction = (
  request: DelegatedRequest,
  call: { readonly signal: AbortSignal },
) => Promise<unknown>;

/** What asking needs besides the request: who answers, and within which bounds. */
export interface CallBounds {
  readonly answer: AnswerFunction;
  readonly fit: AnswerChecker;
  readonly pace: EndpointThrottle;
  readonly timeoutMs: number;
  /** LLM calls for one interaction at most, a repair included. */
  readonly tries: number;
  /** Aborted when nothing is to be finished any more. */
  readonly ending: AbortSignal;
}

/** A pause longer than this part of a lease is nobody's to wait for: another agent may have time, or Baton asks again later. */
const LONGEST_PAUSE = 2 / 3;
const PAUSES = { firstMs: 500, mostMs: 15_000 };
/** A wrong answer is quoted back up to this many characters. */
const QUOTED = 20_000;

export interface LlmResult {
  readonly answer: AgentAnswer;
  /** What is wrong with the answer after all. Baton will say the same, and ask again. */
  readonly problem?: string | undefined;
}

/**
 * What to post for a request: its answer, checked and once repaired, or the error that remained after all tries.
 * Undefined when it must not be worked on any more: the lease is over, or the agent ends.
 * Errors: AnswerFailure of kind `fatal`.
 */
export async function callLlm(
  given: DelegatedRequest,
  lease: Lease,
  asking: CallBounds,
  say: (step: RequestEvent) => void,
): Promise<LlmResult | undefined> {
  const { fit, pace, tries } = asking;
  const over = AbortSignal.any([asking.ending, lease.signal]);
  // After a standstill (of the machine, or of this process) its timers are late, and clocks are not.
  const isOver = () => over.aborted || lease.remaining() === 0;
  /** How long the next try may be put off. */
  const room = lease.leaseMs * LONGEST_PAUSE;
  let request = given;
  let earlier: object | string | undefined;
  for (let tried = 1; ; tried++) {
    if (pace.remaining() > room) return undefined;
    await pause(pace.remaining(), over);
    if (isOver()) return undefined;
    try {
      const data = addUsage(earlier, await callWithTimeout(asking.answer, request, asking.timeoutMs, over));
      const problem = await fit.findProblem(given, data);
      if (problem === undefined || earlier !== undefined || tried === tries) {
        return { answer: { status: 'success', data }, problem };
      }
      say({ kind: 'repairing', problem });
      request = { ...given, request: withCorrection(given.request, data, problem) };
      earlier = data;
    } catch (error) {
      if (isOver()) return undefined;
      const failure = toAnswerFailure(error);
      if (failure.kind === 'fatal') throw failure;
      if (failure.retryAfterMs !== undefined) pace.pauseFor(failure.retryAfterMs);
      const inMs = Math.max(backoff(tried, PAUSES), pace.remaining());
      if (failure.kind === 'final' || tried === tries || inMs > room)
        return { answer: toErrorAnswer(failure) };
      say({ kind: 'retrying', type: failure.type, message: failure.message, inMs });
      await pause(inMs, over);
    }
  }
}

/** Ends with the call, its time or `over`, whichever comes first, even if the function looks at no signal. */
async function callWithTimeout(
  answer: AnswerFunction,
  request: DelegatedRequest,
  timeoutMs: number,
  over: AbortSignal,
): Promise<object | string> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const signal = AbortSignal.any([timeout.signal, over]);
  let end = () => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end);
  });
  try {
    const data = await Promise.race([answer(request, { signal }), aborted]);
    if (typeof data !== 'string' && (typeof data !== 'object' || data === null))
      throw new AnswerFailure('api_error', 'The LLM gave no answer.', { kind: 'passing' });
    return data;
  } catch (error) {
    if (!timeout.signal.aborted) throw error;
    const message = `The LLM did not answer within ${Math.round(timeoutMs / 1_000)} s.`;
    throw new AnswerFailure('timeout_error', message, { kind: 'passing', cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** The dialog with the wrong answer and what is wrong with it. */
function withCorrection(request: LlmRequest, data: unknown, problem: string): LlmRequest {
  const content =
    `That answer cannot be used: ${problem.slice(0, 8_000)}. ` +
    'Answer again, whole, with that corrected and nothing around it.';
  return {
    ...request,
    messages: [
      ...request.messages,
      { role: 'assistant', content: answerAsMessage(data).slice(0, QUOTED) || '(nothing)' },
      { role: 'user', content },
    ],
  };
}

function toErrorAnswer({ type, message, retryAfterMs }: AnswerFailure): AgentAnswer {
  return {
    status: 'error',
    errorDetails: {
      type,
      message: message.slice(0, 2_000),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  };
}
