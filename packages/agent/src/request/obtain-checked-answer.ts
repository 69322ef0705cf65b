import {
  type AgentAnswer,
  correctionMessages,
  exceedsDepth,
  MAX_STORED_JSON_DEPTH,
  withTokenLimit,
} from '@baton/protocol';
import pTimeout from 'p-timeout';
import { LlmCallFailure, toLlmCallFailure } from '../api/llm-call-failure.ts';
import type { AnswerFunction } from '../api/answer-function.ts';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import type { RequestEvent } from '../api/events.ts';
import { addEarlierUsage, addUsage, type Usage, usageOf } from '../api/usage.ts';
import { backoffMs } from '../timing/backoff.ts';
import { PAUSES } from '../timing/pauses.ts';
import type { EndpointHealth } from '../endpoint/endpoint-health.ts';
import { sleep } from '../timing/sleep.ts';
import type { AnswerStream } from './answer-stream.ts';
import type { AnswerChecker } from './answer-checker.ts';
import type { Lease } from './lease.ts';

/** Who makes the calls, and within which limits. */
export interface LlmCalls {
  readonly answer: AnswerFunction;
  readonly checker: AnswerChecker;
  readonly health: EndpointHealth;
  readonly timeoutMs: number;
  /** LLM calls for one interaction at most, a repair included. */
  readonly tries: number;
  /** Aborted when no request is to be finished any more. */
  readonly stopped: AbortSignal;
}

/** A pause longer than this part of a lease is not waited for: another agent may have time, or Baton asks again later. */
const MAX_PAUSE_OF_LEASE = 2 / 3;

export type LlmResult =
  /** To be posted. `problem`: the answer does not fit even after a repair, so Baton will refuse it and ask again. */
  | { readonly kind: 'answer'; readonly answer: AgentAnswer; readonly problem?: string | undefined }
  /** The lease is over, the agent stops, or the endpoint does not answer, whatever is asked of it. */
  | { readonly kind: 'given-up' };

/**
 * Calls the LLM for a request: checks the answer, has it repaired once, asks once more with more room for one that its limit cut off, and
 * retries failures that may pass. After the last try the answer is the error that remained. What the endpoint fails at for others too is no try of this request: it is given up, for
 * another time or agent. Each call is a try of `stream`, which posts its text as it comes. Errors: LlmCallFailure of kind `fatal`.
 */
export async function obtainCheckedAnswer(
  request: DelegatedRequest,
  lease: Lease,
  calls: LlmCalls,
  emit: (event: RequestEvent) => void,
  stream?: AnswerStream,
): Promise<LlmResult> {
  const { checker, health, tries } = calls;
  const cancelled = AbortSignal.any([calls.stopped, lease.signal]);
  // After a standstill of the machine or the process, timers are late and clocks are not.
  const isCancelled = () => cancelled.aborted || lease.remaining() === 0;
  const maxPauseMs = lease.leaseMs * MAX_PAUSE_OF_LEASE;
  let asked = request;
  let rejected: object | string | undefined;
  /** By the calls so far: all of them are paid for. */
  let spent: Usage | undefined;
  let hasMoreRoom = false;
  for (let tried = 1; ; tried++) {
    if (isCancelled() || !health.answers) return { kind: 'given-up' };
    try {
      const data = addEarlierUsage(spent, await callWithTimeout(asked, calls, cancelled, stream?.begin()));
      const problem = await checker.findProblem(request, data);
      if (problem === undefined || rejected !== undefined || tried === tries)
        return { kind: 'answer', answer: { status: 'success', data }, problem };
      emit({ kind: 'repairing', problem });
      const messages = [...request.request.messages, ...correctionMessages(data, problem, '(nothing)')];
      asked = withParameters(asked, { messages });
      rejected = data;
      spent = usageOf(data) ?? spent;
    } catch (error) {
      if (isCancelled()) return { kind: 'given-up' };
      const failure = await health.judge(toLlmCallFailure(error), cancelled);
      if (failure.kind === 'fatal') throw failure;
      if (isCancelled() || failure.scope === 'endpoint') return { kind: 'given-up' };
      spent = addUsage(spent, failure.usage);
      const { moreTokens: maxTokens } = failure;
      if (maxTokens !== undefined && !hasMoreRoom && tried < tries) {
        hasMoreRoom = true;
        asked = { ...asked, request: withTokenLimit(asked.request, maxTokens) };
        emit({ kind: 'retrying', type: failure.type, message: failure.message, inMs: 0 });
        continue;
      }
      const inMs = Math.max(backoffMs(tried, PAUSES.failedCall), failure.retryAfterMs ?? 0);
      if (failure.kind === 'final' || tried === tries || inMs > maxPauseMs)
        return { kind: 'answer', answer: toErrorAnswer(failure, spent) };
      emit({ kind: 'retrying', type: failure.type, message: failure.message, inMs });
      await sleep(inMs, cancelled);
    }
  }
}

function withParameters(
  asked: DelegatedRequest,
  parameters: Partial<DelegatedRequest['request']>,
): DelegatedRequest {
  return { ...asked, request: { ...asked.request, ...parameters } };
}

/** Ends with the call, its timeout or `cancelled`, whichever comes first, even if the function ignores its signal. */
async function callWithTimeout(
  request: DelegatedRequest,
  { answer, timeoutMs }: LlmCalls,
  cancelled: AbortSignal,
  onText: ((piece: string) => void) | undefined,
): Promise<object | string> {
  const timedOut = new AbortController();
  const signal = AbortSignal.any([timedOut.signal, cancelled]);
  const timeout = new LlmCallFailure(
    'timeout_error',
    `The LLM did not answer within ${Math.round(timeoutMs / 1_000)} s.`,
    { kind: 'passing' },
  );
  try {
    const data = await pTimeout(answer(request, onText === undefined ? { signal } : { signal, onText }), {
      milliseconds: timeoutMs,
      message: timeout,
      signal: cancelled,
    });
    if (typeof data !== 'string' && (typeof data !== 'object' || data === null))
      throw new LlmCallFailure('api_error', 'The LLM gave no answer.', { kind: 'passing' });
    if (exceedsDepth(MAX_STORED_JSON_DEPTH, data)) {
      const message = `The LLM's answer nests deeper than ${MAX_STORED_JSON_DEPTH} levels.`;
      throw new LlmCallFailure('api_error', message, { kind: 'passing', usage: usageOf(data) });
    }
    return data;
  } catch (error) {
    if (error === timeout) timedOut.abort();
    throw error;
  }
}

function toErrorAnswer(
  { type, message, retryAfterMs }: LlmCallFailure,
  usage: Usage | undefined,
): AgentAnswer {
  return {
    status: 'error',
    errorDetails: {
      type,
      message: message.slice(0, 2_000),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(usage === undefined ? {} : { usage }),
    },
  };
}
