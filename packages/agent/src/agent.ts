import { randomUUID } from 'node:crypto';
import { type AgentAnswer, BatonError, isRecord } from '@baton/protocol';
import { type AnswerFunction, callLlm } from './request/call-llm.ts';
import type { DelegatedRequest } from './api/delegated-request.ts';
import type { AgentEvent, RequestOutcome, RequestEvent, Totals } from './api/events.ts';
import { AnswerChecker } from './request/answer-checker.ts';
import { GatewayClient, type ClaimRequest } from './gateway/gateway-client.ts';
import { Lease, currentMoment } from './request/lease.ts';
import { backoff, EndpointThrottle, pause } from './request/throttle.ts';
import {
  endingOf,
  isKeyRefusal,
  pauseBefore,
  postAnswer,
  answerRefusedError,
} from './request/post-answer.ts';
import { readUsage } from './api/usage.ts';

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

/** How long Baton is to wait for work when there is none; and at most this part of a lease, which runs from before. */
const WAIT_MS = 25_000;
const WAIT_PART = 1 / 3;
/** How often it is asked when it does not wait so long: it drains, or nobody may wait since the agent ends by itself. */
const LOOKS = { firstMs: 50, mostMs: 2_000 };
/** An agent that is to end by itself does not wait for a Baton that is not there. */
const TRIES_ONCE = 5;
/** With `once`: how long a post waits to see whether more is asked. */
const SETTLE_MS = 10_000;
/** How long giving claims back may take: what it is for ends by itself too, only later. */
const GIVE_BACK_MS = 2_000;
/** With `once`: how long a task that still works is waited for before its end is left to others. */
const LAST_MS = 25_000;

/**
 * Claims as many requests as it has free places, works on each until it is posted, and looks for more. It holds no
 * claim that it is not working on, so that whatever it does not come to is another agent's at once.
 */
export class Agent {
  private readonly options: AgentOptions;
  private readonly gateway: GatewayClient;
  /** What waits for work goes by a connection of its own: to stop waiting is to close it. */
  private readonly lookout: GatewayClient;
  private readonly fit = new AnswerChecker();
  private readonly pace: EndpointThrottle;
  /** Aborted when nothing is to be finished any more. */
  private readonly ending = new AbortController();
  private readonly inFlight = new Map<string, Promise<void>>();
  /** With `once`: tasks that were still working when their answer was taken, and may ask more. */
  private readonly unsettled = new Set<string>();
  /** As whose each of them is claimed. */
  private readonly holders = new Map<string, string>();
  /** Agents with one key are told apart by it, and with a number each look of one agent. */
  private readonly name = randomUUID();
  private looks = 0;
  /** The holder of a look whose reply has not come: nobody knows what it was given. */
  private unheard: string | undefined;
  private readonly totals: Totals = { answered: 0, failed: 0, superseded: 0, abandoned: 0 };
  private stopping = false;
  private failure: { readonly error: unknown } | undefined;
  private wake = new AbortController();
  private looking: AbortController | undefined;
  private empty = 0;
  /** How often in a row Baton could not be asked for work. */
  private refusals = 0;

  constructor(options: AgentOptions) {
    this.options = options;
    this.gateway = new GatewayClient(options);
    this.lookout = new GatewayClient(options);
    this.pace = new EndpointThrottle((ms) => {
      options.onEvent({ kind: 'holding', ms });
      this.lookAway();
    });
  }

  /** Works until it is stopped or, with `once`, until nothing waits. Throws what makes every further request useless. */
  async run(): Promise<Totals> {
    void this.gateway.connectEarly();
    try {
      while (!this.stopping) await this.round();
      await Promise.all(this.inFlight.values());
    } finally {
      this.ending.abort();
      await this.resign().catch(() => {});
      await Promise.all([this.gateway.close(), this.lookout.close(), this.fit.close()]);
    }
    if (this.failure) throw this.failure.error;
    return this.totals;
  }

  /** Claims nothing more, finishes what is in flight within `withinMs`, and leaves the rest to other agents. */
  stop(withinMs: number): void {
    if (!this.stopping) this.options.onEvent({ kind: 'stopping', inFlight: this.inFlight.size });
    this.stopping = true;
    this.wake.abort();
    this.lookAway();
    const timer = setTimeout(() => this.ending.abort(), withinMs);
    this.ending.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  private async round(): Promise<void> {
    const { concurrency, leaseMs, once } = this.options;
    const free = concurrency - this.inFlight.size;
    if (free === 0) return this.nap(3_600_000);
    if (this.pace.remaining() > 0) return this.nap(this.pace.remaining());
    const waitMs = once ? 0 : Math.floor(Math.min(WAIT_MS, leaseMs * WAIT_PART));
    const begun = performance.now();
    const claimed = await this.claim(free, waitMs);
    if (claimed === undefined) return undefined;
    const waited = waitMs > 0 && performance.now() - begun >= waitMs / 2;
    this.empty = claimed === 0 && !waited ? this.empty + 1 : 0;
    if (claimed > 0 || waited) return undefined;
    if (once && this.inFlight.size === 0 && !(await this.moreMayCome())) {
      this.stopping = true;
      return undefined;
    }
    return this.nap(backoff(Math.max(1, this.empty), LOOKS));
  }

  /** Until a place gets free, the agent is stopped, or the time is over. */
  private async nap(ms: number): Promise<void> {
    await pause(ms, this.wake.signal);
    if (this.wake.signal.aborted) this.wake = new AbortController();
  }

  /** How many were claimed, or undefined when Baton cannot say. */
  private async claim(max: number, waitMs: number): Promise<number | undefined> {
    const { leaseMs, only } = this.options;
    const looking = new AbortController();
    this.looking = looking;
    try {
      await this.resign();
      const holder = `${this.name}/${++this.looks}`;
      const asked = currentMoment();
      const requests = await this.look({ max, holder, leaseMs, waitMs, ...only });
      this.refusals = 0;
      for (const request of requests) this.begin(request, holder, new Lease(leaseMs, asked));
      return requests.length;
    } catch (thrown) {
      if (looking.signal.aborted) await this.resign().catch(() => {});
      if (this.stopping || looking.signal.aborted) return undefined;
      this.refusals++;
      if (
        !(thrown instanceof BatonError) ||
        isKeyRefusal(thrown) ||
        thrown.code === 'invalid_arguments' ||
        (this.options.once && this.refusals === TRIES_ONCE)
      ) {
        this.fail(thrown);
        return undefined;
      }
      const inMs = pauseBefore(thrown, this.refusals);
      this.options.onEvent({ kind: 'unreachable', message: thrown.message, inMs });
      await this.nap(inMs);
      return undefined;
    }
  }

  private async look(work: ClaimRequest): Promise<DelegatedRequest[]> {
    this.unheard = work.holder;
    try {
      const requests = await this.lookout.claim(work, this.ending.signal);
      this.unheard = undefined;
      return requests;
    } catch (thrown) {
      // A refusal was heard.
      if (thrown instanceof BatonError && thrown.code !== 'unavailable') this.unheard = undefined;
      throw thrown;
    }
  }

  /** Gives back what a look was given whose reply did not come: it would be hidden until its leases are over. */
  private async resign(): Promise<void> {
    if (this.unheard === undefined) return;
    await this.gateway.releaseHolder(this.unheard, AbortSignal.timeout(GIVE_BACK_MS));
    this.unheard = undefined;
  }

  /** Ends a wait for work: there are to be no claims that nobody works on. */
  private lookAway(): void {
    this.looking?.abort();
    void this.lookout.close();
  }

  private begin(request: DelegatedRequest, holder: string, lease: Lease): void {
    const { interactionId } = request;
    this.holders.set(interactionId, holder);
    // Its lease was over before its work was: the work goes on, and decides by its own lease.
    if (this.inFlight.has(interactionId)) return lease.dispose();
    const say = (step: RequestEvent) => this.options.onEvent({ ...step, request });
    const begun = performance.now();
    say({ kind: 'claimed' });
    const done = new AbortController();
    const kept = lease.renewUntil(() => this.hold(interactionId, this.options.leaseMs), done.signal);
    const work = this.answer(request, lease, say)
      .finally(() => {
        done.abort();
        lease.dispose();
      })
      .then(async (ending) => {
        if (ending.kind === 'abandoned') await this.giveBack(interactionId, kept);
        this.totals[ending.kind]++;
        this.inFlight.delete(interactionId);
        say({ ...ending, tookMs: Math.round(performance.now() - begun) });
      })
      .catch((error: unknown) => {
        this.fail(error);
        return this.giveBack(interactionId, kept);
      })
      .finally(() => {
        this.inFlight.delete(interactionId);
        this.holders.delete(interactionId);
        this.empty = 0;
        this.wake.abort();
      });
    this.inFlight.set(interactionId, work);
  }

  /** Renews a claim, or ends it with 0; its signal is its own, since what was sent would go on after it was aborted. */
  private async hold(
    interactionId: string,
    leaseMs: number,
    signal = new AbortController().signal,
  ): Promise<void> {
    await this.gateway.renewClaim(interactionId, this.holders.get(interactionId) ?? '', leaseMs, signal);
  }

  /** Others need not wait until the lease is over. A renewal that is under way would claim again what was given back. */
  private async giveBack(interactionId: string, kept: Promise<void>): Promise<void> {
    const renewed = new AbortController();
    void kept.then(() => renewed.abort());
    await pause(GIVE_BACK_MS, renewed.signal);
    await this.hold(interactionId, 0, AbortSignal.timeout(GIVE_BACK_MS)).catch(() => {});
  }

  private async answer(
    request: DelegatedRequest,
    lease: Lease,
    say: (step: RequestEvent) => void,
  ): Promise<RequestOutcome> {
    const asking = { ...this.options, fit: this.fit, pace: this.pace, ending: this.ending.signal };
    const asked = await callLlm(request, lease, asking, say);
    if (asked === undefined) {
      const { lostBy } = lease;
      if (lostBy !== undefined && lostBy !== 'interaction_claimed')
        return { kind: 'superseded', code: lostBy };
      return { kind: 'abandoned', reason: this.ending.signal.aborted ? 'stopped' : 'lease' };
    }
    const sending = { waitMs: this.options.once ? SETTLE_MS : 0, ending: this.ending.signal };
    let { answer } = asked;
    let delivery = await postAnswer(this.gateway, request.interactionId, answer, sending);
    if (delivery.kind === 'refused' && answer.status === 'success') {
      answer = answerRefusedError(delivery.error);
      delivery = await postAnswer(this.gateway, request.interactionId, answer, sending);
    }
    if (delivery.kind === 'refused')
      return { kind: 'failed', type: delivery.error.code, message: delivery.error.message };
    if (delivery.kind !== 'taken') return endingOf(delivery);
    if (delivery.status === 'working') this.unsettled.add(delivery.taskId);
    return endingWith(answer, asked.problem);
  }

  /** With `once`: whether a task that was answered is still being worked on, and may ask more when that is done. */
  private async moreMayCome(): Promise<boolean> {
    const [taskId] = this.unsettled;
    if (taskId === undefined) return false;
    // A task that does not come to a stand within that time is not waited for: perhaps there is no worker.
    this.unsettled.delete(taskId);
    await this.gateway.waitForTask(taskId, LAST_MS, this.ending.signal).catch(() => {});
    return true;
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.stopping = true;
    this.wake.abort();
    this.lookAway();
  }
}

function endingWith(answer: AgentAnswer, problem: string | undefined): RequestOutcome {
  if (answer.status === 'error') {
    const { type = 'agent_error', message } = answer.errorDetails;
    return { kind: 'failed', type, message };
  }
  const { data } = answer;
  const model = isRecord(data) && typeof data['model'] === 'string' ? data['model'] : undefined;
  const usage = readUsage(data);
  return {
    kind: 'answered',
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(problem === undefined ? {} : { problem }),
  };
}
