import { type AgentAnswer, type AnswerUsage, readAnswerUsage } from '@baton/protocol';
import {
  type BegunCall,
  DelayedError,
  type Job,
  type JobProcessor,
  parseCallJob,
  UnrecoverableError,
  type WorkerShard,
} from '@baton/store/shards';
import type { Tracer } from '@baton/tracing';
import type { Logger } from 'pino';
import { recordCall } from './call-span.ts';
import type { EndpointModels } from './endpoint-models.ts';
import { PostedWords } from './posted-words.ts';

/** A lease is renewed three times before it ends, in milliseconds. */
const RENEW_INTERVAL_MS = 2_000;

/** A call whose workers have died, or lost Redis, so many times is answered with an error. */
const MAX_STARTS = 20;

export interface CallDependencies {
  /** The models of endpoints: loaded with the first call, since a worker without endpoints never needs them. */
  readonly openModels: () => Promise<EndpointModels>;
  readonly log: Logger;
  readonly tracer: Tracer | undefined;
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
  { openModels, log, tracer, onCall }: CallDependencies,
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
    const startTime = Date.now();
    const end = await makeCall(call, openModels, job.attemptsStarted > MAX_STARTS);
    onCall(end.kind);
    recordCall(tracer, call, startTime, {
      ...('usage' in end && { usage: end.usage }),
      ...(end.kind === 'failed' && { failure: end.type }),
    });
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
  | { readonly kind: 'answered'; readonly usage: AnswerUsage }
  | { readonly kind: 'failed'; readonly type: string; readonly usage: AnswerUsage }
  | { readonly kind: 'closed' | 'lost' };

async function makeCall(
  call: BegunCall,
  openModels: () => Promise<EndpointModels>,
  isGivenUp: boolean,
): Promise<MadeCall> {
  const [{ callEndpoint, errorAnswer, tooLargeAnswer }, models] = await Promise.all([
    import('./call-endpoint.ts'),
    openModels(),
  ]);
  const lease = holdLease(call);
  const words = new PostedWords((sequence, delta) => call.appendChunk(sequence, delta));
  try {
    let answer: AgentAnswer = isGivenUp
      ? errorAnswer('api_error', 'The call was begun again and again and never got to its end.')
      : await callEndpoint(call, models, lease.signal, words);
    let usage = readAnswerUsage(answer);
    const answerJson = JSON.stringify(answer);
    let taken = await call.answer(answerJson, usage);
    if (taken === 'too_large') {
      answer = tooLargeAnswer(answer, answerJson);
      usage = readAnswerUsage(answer);
      taken = await call.answer(JSON.stringify(answer), usage);
    }
    if (taken === 'closed' || taken === 'lost') return { kind: taken };
    return answer.status === 'success'
      ? { kind: 'answered', usage }
      : { kind: 'failed', type: answer.errorDetails.type ?? '', usage };
  } catch (thrown) {
    if (lease.signal.aborted) return { kind: 'lost' };
    throw thrown;
  } finally {
    lease.end();
  }
}

/**
 * All calls of a worker are renewed in the same moments, so that those of a shard are one command. At least half an interval from now: a
 * renewal that begins before the one before it has ended would be refused.
 */
function msUntilRenewal(): number {
  const ms = RENEW_INTERVAL_MS - (performance.now() % RENEW_INTERVAL_MS);
  return ms < RENEW_INTERVAL_MS / 2 ? ms + RENEW_INTERVAL_MS : ms;
}

/** Renews a call's lease until `end`; `signal` is aborted when it is lost. */
function holdLease(call: BegunCall): { readonly signal: AbortSignal; end(): void } {
  const lost = new AbortController();
  const renew = () => {
    call
      .renew()
      .then(
        (reply) => reply === 'lost' && lost.abort(),
        // Redis is away: the next renewal may come in time; after it the lease is another's.
        () => {},
      )
      .finally(() => {
        if (!isOver) timer = setTimeout(renew, msUntilRenewal());
      });
  };
  let isOver = false;
  let timer = setTimeout(renew, msUntilRenewal());
  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  return { signal: lost.signal, end };
}
