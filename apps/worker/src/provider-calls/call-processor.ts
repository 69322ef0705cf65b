import { type AgentAnswer, readAnswerUsage } from '@baton/protocol';
import {
  type BegunCall,
  DelayedError,
  type Job,
  type JobProcessor,
  parseCallJob,
  UnrecoverableError,
  type WorkerShard,
} from '@baton/store/shards';
import type { Logger } from 'pino';
import type { AddressGuard } from './address-guard.ts';

/** A lease is renewed three times before it ends, in milliseconds. */
const RENEW_INTERVAL_MS = 2_000;

/** A call whose workers have died, or lost Redis, so many times is answered with an error. */
const MAX_STARTS = 20;

export interface CallDependencies {
  readonly guard: AddressGuard;
  readonly log: Logger;
  /** Called after each call with how it ended. */
  readonly onCall: (end: CallEnd) => void;
}

/** `closed`: nobody waited for it any more; `lost`: it was given up for another worker, or since its task ended. */
export type CallEnd = 'answered' | 'failed' | 'closed' | 'lost' | 'postponed';

/**
 * BullMQ's processor of the queue `calls`: makes the call that a job is for, while it renews the call's lease, and gives the task
 * its answer. What ends the wait (a cancellation, a deadline) ends the call too, at its next renewal.
 */
export function createCallProcessor(
  shard: WorkerShard,
  { guard, log, onCall }: CallDependencies,
): JobProcessor {
  return async (job, _final, token) => {
    const start = await shard.beginCall(parseJob(job));
    if (start.kind === 'closed') return onCall('closed');
    if (start.kind === 'leased') {
      onCall('postponed');
      await job.moveToDelayed(Date.now() + start.ms, token);
      throw new DelayedError();
    }
    const { call } = start;
    const { tenant, taskId } = call;
    const end = await makeCall(call, guard, job.attemptsStarted > MAX_STARTS);
    onCall(end.kind);
    if (end.kind === 'failed')
      log.warn({ tenant, taskId, type: end.type }, 'a call to an LLM endpoint failed');
  };
}

function parseJob(job: Job) {
  try {
    return parseCallJob(job.data);
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
  }
}

type MadeCall =
  | { readonly kind: Exclude<CallEnd, 'failed'> }
  | { readonly kind: 'failed'; readonly type: string };

async function makeCall(call: BegunCall, guard: AddressGuard, isGivenUp: boolean): Promise<MadeCall> {
  // Loaded with the first call: a worker without endpoints never needs it.
  const { callEndpoint, errorAnswer } = await import('./call-endpoint.ts');
  const lease = holdLease(call);
  try {
    const answer: AgentAnswer = isGivenUp
      ? errorAnswer('api_error', 'The call was begun again and again and never got to its end.')
      : await callEndpoint(call, guard, lease.signal);
    const usage = readAnswerUsage(answer);
    let taken = await call.answer(JSON.stringify(answer), usage);
    if (taken === 'too_large') {
      const message = "The LLM's answer is longer than the tenant's limit 'answerBytes' allows.";
      taken = await call.answer(JSON.stringify(errorAnswer('answer_too_large', message)), usage);
    }
    if (taken === 'closed') return { kind: 'closed' };
    return answer.status === 'success'
      ? { kind: 'answered' }
      : { kind: 'failed', type: answer.errorDetails.type ?? '' };
  } catch (thrown) {
    if (lease.signal.aborted) return { kind: 'lost' };
    throw thrown;
  } finally {
    lease.end();
  }
}

/** Renews a call's lease until `end`; `signal` is aborted when it is lost. */
function holdLease(call: BegunCall): { readonly signal: AbortSignal; end(): void } {
  const lost = new AbortController();
  const timer = setInterval(() => {
    call.renew().then(
      (reply) => reply === 'lost' && lost.abort(),
      // Redis is away: the next renewal may come in time; after it the lease is another's.
      () => {},
    );
  }, RENEW_INTERVAL_MS);
  return { signal: lost.signal, end: () => clearInterval(timer) };
}
