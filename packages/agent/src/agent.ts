import { BatonError } from '@baton/protocol';
import type { AnswerFunction } from './api/answer-function.ts';
import type { DelegatedRequest } from './api/delegated-request.ts';
import type { AgentEvent, RequestEvent, Totals } from './api/events.ts';
import { EndpointHealth } from './endpoint/endpoint-health.ts';
import { ClaimPoller } from './gateway/claim-poller.ts';
import { type ClaimRequest, GatewayClient } from './gateway/gateway-client.ts';
import { isKeyRefusal, retryAfterMs } from './gateway/gateway-errors.ts';
import { AnswerChecker } from './request/answer-checker.ts';
import { ClaimedRequest, type RequestDependencies } from './request/claimed-request.ts';
import { Lease } from './request/lease.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import { backoffMs } from './timing/backoff.ts';
import { PAUSES } from './timing/pauses.ts';
import { InterruptibleSleep } from './timing/sleep.ts';

export interface AgentOptions {
  readonly url: string;
  readonly key: string;
  readonly answer: AnswerFunction;
  readonly only: Pick<ClaimRequest, 'role' | 'operation'>;
  readonly onEvent: (event: AgentEvent) => void;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly tries: number;
  readonly once: boolean;
}

/** How long a claim waits for requests: at most this, and at most this part of a lease, which runs from before the wait. */
const POLL_MS = 25_000;
const POLL_PART_OF_LEASE = 1 / 3;
/** With `once`: after so many claims, or probes of the endpoint, that failed in a row the agent ends. */
const ONCE_MAX_FAILURES = 5;
/** How long a post waits to see how its task goes on; a resume takes some milliseconds. With `once`: whether it asks for more. */
const POST_WAIT_MS = 2_000;
const ONCE_POST_WAIT_MS = 10_000;
/** With `once`: how long a task that is still working is waited for, in case it asks for more. */
const ONCE_TASK_WAIT_MS = 25_000;
const UNTIL_INTERRUPTED_MS = 3_600_000;

/** `draining` finishes what is in flight; `failed` does too, and then `run` throws. */
type AgentState =
  | { readonly kind: 'running' }
  | { readonly kind: 'draining' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Claims as many requests as it has free places, works on each until it is posted, and claims more. It holds no claim
 * that it does not work on, so that other agents can take what it has no place for.
 */
export class Agent {
  private readonly options: AgentOptions;
  private readonly gateway: GatewayClient;
  private readonly claims: ClaimPoller;
  private readonly health: EndpointHealth;
  private readonly context: RequestDependencies;
  /** Aborted when nothing in flight is to be finished any more. */
  private readonly stopped = new AbortController();
  private readonly pause = new InterruptibleSleep();
  private readonly inFlight = new Map<
    string,
    { readonly claimed: ClaimedRequest; readonly work: Promise<void> }
  >();
  private readonly counts = new OutcomeCounts();
  private state: AgentState = { kind: 'running' };
  private emptyClaims = 0;
  private failedClaims = 0;
  /** With `once`: tasks that were working when their answer was taken, and may ask for more. */
  private readonly workingTasks = new Set<string>();

  constructor(options: AgentOptions) {
    this.options = options;
    this.gateway = new GatewayClient(options);
    this.claims = new ClaimPoller(options, this.gateway);
    const { answer, timeoutMs, tries } = options;
    this.health = new EndpointHealth(answer.probe, (inMs, { type, message }) => {
      options.onEvent({ kind: 'holding', type, message, inMs });
      this.claims.cancel();
    });
    this.context = {
      answer,
      timeoutMs,
      tries,
      health: this.health,
      checker: new AnswerChecker(),
      gateway: this.gateway,
      postWaitMs: options.once ? ONCE_POST_WAIT_MS : POST_WAIT_MS,
      stopped: this.stopped.signal,
    };
  }

  /** Works until it is stopped or, with `once`, until nothing is pending. Throws what makes every further request useless. */
  async run(): Promise<Totals> {
    void this.gateway.connectEarly();
    try {
      while (this.state.kind === 'running') await this.claimAndStart();
      await Promise.all([...this.inFlight.values()].map(({ work }) => work));
    } finally {
      this.stopped.abort();
      await this.claims.close();
      await Promise.all([this.gateway.close(), this.context.checker.close()]);
    }
    if (this.state.kind === 'failed') throw this.state.error;
    return this.counts.totals;
  }

  /** Claims nothing more, finishes what is in flight within `withinMs`, and leaves the rest to other agents. */
  stop(withinMs: number): void {
    if (this.state.kind === 'running')
      this.options.onEvent({ kind: 'stopping', inFlight: this.inFlight.size });
    this.endClaiming({ kind: 'draining' });
    const timer = setTimeout(() => this.stopped.abort(), withinMs);
    this.stopped.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  /** One round: waits for a free place and for the endpoint, claims, starts what was claimed, pauses if that was nothing. */
  private async claimAndStart(): Promise<void> {
    const { concurrency, leaseMs, once, only } = this.options;
    const free = concurrency - this.inFlight.size;
    if (free === 0) return this.pause.sleep(UNTIL_INTERRUPTED_MS);
    if (!this.health.answers) return this.awaitEndpoint();

    const waitMs = once ? 0 : Math.floor(Math.min(POLL_MS, leaseMs * POLL_PART_OF_LEASE));
    // What ends while the claim is under way may have made its task ask for more behind the claim.
    const isIdle = this.inFlight.size === 0;
    const begun = performance.now();
    const reply = await this.claims.claim({ max: free, leaseMs, waitMs, ...only }, this.stopped.signal);
    if (reply.kind === 'cancelled') return undefined;
    if (reply.kind === 'failed') return this.afterFailedClaim(reply.error);

    this.failedClaims = 0;
    for (const request of reply.requests)
      this.start(request, reply.holder, new Lease(leaseMs, reply.claimedAt));
    const waited = waitMs > 0 && performance.now() - begun >= waitMs / 2;
    if (reply.requests.length > 0 || waited) {
      this.emptyClaims = 0;
      return undefined;
    }
    this.emptyClaims++;
    if (once && isIdle && !(await this.awaitWorkingTask())) {
      if (this.state.kind === 'running') this.state = { kind: 'draining' };
      return undefined;
    }
    return this.pause.sleep(backoffMs(Math.max(1, this.emptyClaims), PAUSES.emptyClaim));
  }

  /** Before the first claim, and while the endpoint does not answer. */
  private async awaitEndpoint(): Promise<void> {
    const pausedMs = this.health.remainingPause();
    if (pausedMs > 0) return this.pause.sleep(pausedMs);
    const failed = await this.health.check(this.stopped.signal);
    if (failed === undefined) return undefined;
    const { failure, times } = failed;
    if (failure.kind === 'fatal' || (this.options.once && times >= ONCE_MAX_FAILURES))
      return this.endClaiming({ kind: 'failed', error: failure });
    return undefined;
  }

  private async afterFailedClaim(error: unknown): Promise<void> {
    if (this.state.kind !== 'running') return undefined;
    this.failedClaims++;
    const isFinal =
      !(error instanceof BatonError) || isKeyRefusal(error) || error.code === 'invalid_arguments';
    if (isFinal || (this.options.once && this.failedClaims === ONCE_MAX_FAILURES))
      return this.endClaiming({ kind: 'failed', error });
    const inMs = Math.max(backoffMs(this.failedClaims, PAUSES.failedClaim), retryAfterMs(error));
    this.options.onEvent({ kind: 'unreachable', message: error.message, inMs });
    return this.pause.sleep(inMs);
  }

  private start(request: DelegatedRequest, holder: string, lease: Lease): void {
    const { interactionId } = request;
    const running = this.inFlight.get(interactionId);
    if (running !== undefined) {
      // Its lease ran out before its work was done, and it was claimed again.
      running.claimed.reclaim(holder);
      return lease.dispose();
    }
    const emit = (event: RequestEvent) => this.options.onEvent({ ...event, request });
    emit({ kind: 'claimed' });
    const claimed = new ClaimedRequest(request, holder, lease, this.context);
    this.inFlight.set(interactionId, { claimed, work: this.work(interactionId, claimed, emit) });
  }

  private async work(
    interactionId: string,
    claimed: ClaimedRequest,
    emit: (event: RequestEvent) => void,
  ): Promise<void> {
    const begun = performance.now();
    try {
      const { outcome, task } = await claimed.process(emit);
      if (outcome.kind === 'abandoned') await claimed.release();
      if (this.options.once && task?.status === 'working') this.workingTasks.add(task.taskId);
      this.counts.add(outcome, task);
      this.inFlight.delete(interactionId);
      emit({ ...outcome, tookMs: Math.round(performance.now() - begun) });
    } catch (error) {
      this.endClaiming({ kind: 'failed', error });
      await claimed.release();
    } finally {
      this.inFlight.delete(interactionId);
      this.emptyClaims = 0;
      this.pause.interrupt();
    }
  }

  /** With `once`: waits for one of the tasks that may ask for more; false when there is none. */
  private async awaitWorkingTask(): Promise<boolean> {
    const [taskId] = this.workingTasks;
    if (taskId === undefined) return false;
    // Waited for once: perhaps there is no worker.
    this.workingTasks.delete(taskId);
    const task = await this.gateway
      .waitForTask(taskId, ONCE_TASK_WAIT_MS, this.stopped.signal)
      .catch(() => undefined);
    if (task !== undefined) this.counts.addTask(task);
    return true;
  }

  /** The first failure is the one that `run` throws. */
  private endClaiming(state: Exclude<AgentState, { kind: 'running' }>): void {
    if (this.state.kind !== 'failed') this.state = state;
    this.pause.interrupt();
    this.claims.cancel();
  }
}
