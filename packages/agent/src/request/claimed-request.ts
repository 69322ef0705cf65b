import { type AgentAnswer, isRecord } from '@baton/protocol';
import type { DelegatedRequest } from '../api/delegated-request.ts';
import type { RequestEvent, RequestOutcome, TaskState } from '../api/events.ts';
import { usageOf } from '../api/usage.ts';
import type { GatewayClient } from '../gateway/gateway-client.ts';
import { AnswerStream, streamInTheWay } from './answer-stream.ts';
import { sleep } from '../timing/sleep.ts';
import { obtainCheckedAnswer, type LlmCalls } from './obtain-checked-answer.ts';
import type { Lease } from './lease.ts';
import { errorAnswerForRefusal, postWithRetries } from './post-answer-with-retries.ts';

/** How long giving a claim back may take; after that its lease runs out by itself. */
const RELEASE_MS = 2_000;

export interface RequestDependencies extends LlmCalls {
  readonly gateway: GatewayClient;
  /** How long a post waits to see how its task goes on. */
  readonly postWaitMs: number;
}

/** How the work on a request ended, and how its task stood then, where Baton took the answer. */
export interface ProcessedRequest {
  readonly outcome: RequestOutcome;
  readonly task?: TaskState;
}

/** One claimed request. While `process` runs its lease is renewed; what ends without an answer is to be released. */
export class ClaimedRequest {
  private readonly request: DelegatedRequest;
  private readonly lease: Lease;
  private readonly context: RequestDependencies;
  /** Of a `streamText` request. */
  private readonly stream: AnswerStream | undefined;
  private holder: string;
  private renewals: Promise<void> = Promise.resolve();

  constructor(request: DelegatedRequest, holder: string, lease: Lease, context: RequestDependencies) {
    this.request = request;
    this.holder = holder;
    this.lease = lease;
    this.context = context;
    if (request.serviceType === 'streamText')
      this.stream = new AnswerStream(context.gateway, request.interactionId, context.stopped);
  }

  /** Takes over a newer claim of this agent on the same interaction; the work goes on, bounded by its own lease. */
  reclaim(holder: string): void {
    this.holder = holder;
  }

  /** Errors: LlmCallFailure of kind `fatal` and refusals of the key, which end the agent. */
  async process(emit: (event: RequestEvent) => void): Promise<ProcessedRequest> {
    const done = new AbortController();
    this.renewals = this.lease.renewUntil(done.signal, () => this.setLease(this.lease.leaseMs));
    try {
      return await this.answer(emit);
    } finally {
      done.abort();
      this.stream?.stop();
      this.lease.dispose();
    }
  }

  /** Gives the claim back, so that other agents need not wait for the lease to run out. Call it after `process`. */
  async release(): Promise<void> {
    // A renewal that is under way would claim again what was given back.
    const renewed = new AbortController();
    void this.renewals.then(() => renewed.abort());
    await sleep(RELEASE_MS, renewed.signal);
    await this.setLease(0, AbortSignal.timeout(RELEASE_MS)).catch(() => {});
  }

  private async answer(emit: (event: RequestEvent) => void): Promise<ProcessedRequest> {
    const result = await obtainCheckedAnswer(this.request, this.lease, this.context, emit, this.stream);
    if (result.kind === 'given-up') return { outcome: this.givenUp() };
    const { delivery, answer } = await this.postAnswer(result.answer);
    switch (delivery.kind) {
      case 'closed':
        return { outcome: { kind: 'superseded', code: delivery.code } };
      case 'stopped':
        return { outcome: { kind: 'abandoned', reason: 'stopped' } };
      case 'refused': {
        const { code: type, message } = delivery.error;
        return { outcome: { kind: 'failed', type, message } };
      }
      case 'taken': {
        return { outcome: outcomeOf(answer, result.problem, delivery.task), task: delivery.task };
      }
    }
  }

  /** An answer that Baton refuses is replaced by an error that says so: the task must not wait for it until it expires. */
  private async postAnswer(obtained: AgentAnswer) {
    const { stream } = this;
    let answer = obtained;
    if (stream !== undefined && obtained.status === 'success') answer = await stream.finish(obtained.data);
    let delivery = await this.post(answer);
    const current = delivery.kind === 'refused' ? streamInTheWay(delivery.error) : undefined;
    if (stream !== undefined && current !== undefined && obtained.status === 'success') {
      answer = stream.replace(current, obtained.data);
      delivery = await this.post(answer);
    }
    if (delivery.kind !== 'refused' || answer.status === 'error') return { delivery, answer };
    const error = errorAnswerForRefusal(
      delivery.error,
      usageOf(obtained.status === 'success' ? obtained.data : undefined),
    );
    return { delivery: await this.post(error), answer: error };
  }

  private post(answer: AgentAnswer) {
    const { gateway, postWaitMs, stopped } = this.context;
    const { interactionId } = this.request;
    return postWithRetries(() => gateway.postAnswer(interactionId, answer, postWaitMs, stopped), stopped);
  }

  private givenUp(): RequestOutcome {
    const { lostBy } = this.lease;
    if (lostBy !== undefined && lostBy !== 'interaction_claimed') return { kind: 'superseded', code: lostBy };
    if (this.context.stopped.aborted) return { kind: 'abandoned', reason: 'stopped' };
    return { kind: 'abandoned', reason: this.lease.remaining() === 0 ? 'lease' : 'endpoint' };
  }

  /** Renews the claim, or ends it with 0. Not cancelled when the agent stops: what was sent would take effect all the same. */
  private async setLease(leaseMs: number, signal = new AbortController().signal): Promise<void> {
    await this.context.gateway.renewClaim(this.request.interactionId, this.holder, leaseMs, signal);
  }
}

function outcomeOf(answer: AgentAnswer, problem: string | undefined, task: TaskState): RequestOutcome {
  if (answer.status === 'error') {
    const { type = 'agent_error', message } = answer.errorDetails;
    return { kind: 'failed', type, message, task };
  }
  const { data } = answer;
  const model = isRecord(data) && typeof data['model'] === 'string' ? data['model'] : undefined;
  const usage = usageOf(data);
  const cost = { ...(model === undefined ? {} : { model }), ...(usage === undefined ? {} : { usage }) };
  return problem === undefined
    ? { kind: 'answered', ...cost, task }
    : { kind: 'rejected', ...cost, problem, task };
}
