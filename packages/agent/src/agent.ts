import { type AgentAnswer, BatonError, isRecord } from '@baton/protocol';
import { type Answer, ask } from './ask.ts';
import type { DelegatedRequest } from './delegated-request.ts';
import type { AgentEvent, Ending, Step, Totals } from './event.ts';
import { FitCheck } from './fit.ts';
import { Gateway } from './gateway.ts';
import { Lease } from './lease.ts';
import { backoff, Pace, pause } from './pace.ts';
import { endingOf, isOfTheKey, pauseBefore, post, refusedAnswer } from './post.ts';
import { usageOf } from './usage.ts';

export interface AgentOptions {
  readonly url: string;
  readonly key: string;
  readonly answer: Answer;
  readonly onEvent: (event: AgentEvent) => void;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly tries: number;
  readonly once: boolean;
}

/** How often an empty backlog is looked at: seldom once it has been empty for a while. */
const LOOKS = { firstMs: 50, mostMs: 2_000 };
/** An agent that is to end by itself does not wait for a Baton that is not there. */
const TRIES_ONCE = 5;
/** With `once`: how long a post waits to see whether more is asked. */
const SETTLE_MS = 10_000;
/** With `once`: how long a task that still works is waited for before its end is left to others. */
const LAST_MS = 25_000;

/**
 * Claims as many requests as it has free places, works on each until it is posted, and looks for more. It holds no
 * claim that it is not working on, so that whatever it does not come to is another agent's at once.
 */
export class Agent {
  private readonly options: AgentOptions;
  private readonly gateway: Gateway;
  private readonly fit = new FitCheck();
  private readonly pace: Pace;
  /** Aborted when nothing is to be finished any more. */
  private readonly ending = new AbortController();
  private readonly inFlight = new Map<string, Promise<void>>();
  /** With `once`: tasks that were still working when their answer was taken, and may ask more. */
  private readonly unsettled = new Set<string>();
  private readonly totals: Totals = { answered: 0, failed: 0, superseded: 0, abandoned: 0 };
  private stopping = false;
  private failure: { readonly error: unknown } | undefined;
  private wake = new AbortController();
  private empty = 0;
  /** How often in a row Baton could not be asked for work. */
  private refusals = 0;

  constructor(options: AgentOptions) {
    this.options = options;
    this.gateway = new Gateway(options);
    this.pace = new Pace((ms) => options.onEvent({ kind: 'holding', ms }));
  }

  /** Works until it is stopped or, with `once`, until nothing waits. Throws what makes every further request useless. */
  async run(): Promise<Totals> {
    try {
      while (!this.stopping) await this.round();
      await Promise.all(this.inFlight.values());
    } finally {
      this.ending.abort();
      await Promise.all([this.gateway.close(), this.fit.close()]);
    }
    if (this.failure) throw this.failure.error;
    return this.totals;
  }

  /** Claims nothing more, finishes what is in flight within `withinMs`, and leaves the rest to other agents. */
  stop(withinMs: number): void {
    if (!this.stopping) this.options.onEvent({ kind: 'stopping', inFlight: this.inFlight.size });
    this.stopping = true;
    this.wake.abort();
    const timer = setTimeout(() => this.ending.abort(), withinMs);
    this.ending.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  private async round(): Promise<void> {
    const { concurrency, once } = this.options;
    const free = concurrency - this.inFlight.size;
    if (free === 0) return this.nap(3_600_000);
    if (this.pace.remaining() > 0) return this.nap(this.pace.remaining());
    const claimed = await this.claim(free);
    if (claimed === undefined) return undefined;
    this.empty = claimed === 0 ? this.empty + 1 : 0;
    if (claimed === free) return undefined;
    if (once && claimed === 0 && this.inFlight.size === 0 && !(await this.moreMayCome())) {
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
  private async claim(max: number): Promise<number | undefined> {
    const lease = new Lease(this.options.leaseMs);
    try {
      const requests = await this.gateway.claim(max, this.options.leaseMs, this.ending.signal);
      this.refusals = 0;
      for (const request of requests) this.begin(request, lease);
      return requests.length;
    } catch (thrown) {
      if (this.stopping) return undefined;
      this.refusals++;
      if (
        !(thrown instanceof BatonError) ||
        isOfTheKey(thrown) ||
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

  private begin(request: DelegatedRequest, lease: Lease): void {
    const { interactionId } = request;
    // Its lease was over before its work was: the work goes on, and decides by its own lease.
    if (this.inFlight.has(interactionId)) return;
    const say = (step: Step) => this.options.onEvent({ ...step, request });
    const begun = performance.now();
    say({ kind: 'claimed' });
    const work = this.work(request, lease, say)
      .then((ending) => {
        this.totals[ending.kind]++;
        this.inFlight.delete(interactionId);
        say({ ...ending, tookMs: Math.round(performance.now() - begun) });
      })
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.inFlight.delete(interactionId);
        this.empty = 0;
        this.wake.abort();
      });
    this.inFlight.set(interactionId, work);
  }

  private async work(request: DelegatedRequest, lease: Lease, say: (step: Step) => void): Promise<Ending> {
    const asking = { ...this.options, fit: this.fit, pace: this.pace, ending: this.ending.signal };
    const asked = await ask(request, lease, asking, say);
    if (asked === undefined)
      return { kind: 'abandoned', reason: this.ending.signal.aborted ? 'stopped' : 'lease' };
    const sending = { waitMs: this.options.once ? SETTLE_MS : 0, ending: this.ending.signal };
    let { answer } = asked;
    let delivery = await post(this.gateway, request.interactionId, answer, sending);
    if (delivery.kind === 'refused' && answer.status === 'success') {
      answer = refusedAnswer(delivery.error);
      delivery = await post(this.gateway, request.interactionId, answer, sending);
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
    await this.gateway.standing(taskId, LAST_MS, this.ending.signal).catch(() => {});
    return true;
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.stopping = true;
    this.wake.abort();
  }
}

function endingWith(answer: AgentAnswer, problem: string | undefined): Ending {
  if (answer.status === 'error') {
    const { type = 'agent_error', message } = answer.errorDetails;
    return { kind: 'failed', type, message };
  }
  const { data } = answer;
  const model = isRecord(data) && typeof data['model'] === 'string' ? data['model'] : undefined;
  const usage = usageOf(data);
  return {
    kind: 'answered',
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(problem === undefined ? {} : { problem }),
  };
}
