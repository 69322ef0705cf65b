import { setTimeout as delay } from 'node:timers/promises';
import type { AnswerFunction } from '../api/answer-function.ts';
import { LlmCallFailure } from '../api/llm-call-failure.ts';
import { backoffMs } from '../timing/backoff.ts';
import { PAUSES } from '../timing/pauses.ts';

/** A longer Retry-After than this is cut to it. */
const MAX_PAUSE_MS = 600_000;
/** Refusals that may be the endpoint's word about its caller's key or address, or about the request: its model, options or price. */
const REFUSALS = new Set([
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'host_not_found',
  'certificate_error',
  'tls_error',
  'redirect_refused',
]);

/** Failures that a mistyped address causes, and a network that is gone or asks for a login for a while. */
const OF_THE_ADDRESS = new Set([
  'host_not_found',
  'certificate_error',
  'tls_error',
  'no_llm_api',
  'redirect_refused',
]);

type Probe = NonNullable<AnswerFunction['probe']>;

/**
 * Whether the LLM endpoint answers, whatever is asked of it. It is asked before the first claim, and again when a request fails: only where
 * the probe, which no caller wrote, fails as well is the endpoint what failed. Then all of the agent pauses, with longer and longer
 * pauses between probes, and whoever holds a request gives it back.
 */
export class EndpointHealth {
  private readonly probe: Probe | undefined;
  private readonly onPause: (ms: number, failure: LlmCallFailure) => void;
  private state: 'unknown' | 'answers' | 'paused';
  private hasAnswered = false;
  private pausedUntil = 0;
  /** Of this pause. */
  private failedProbes = 0;
  private running: Promise<unknown> = Promise.resolve();
  /** The probe that begins next; what fails meanwhile waits for it too. */
  private next: Promise<LlmCallFailure | undefined> | undefined;
  private begun = Number.NEGATIVE_INFINITY;

  constructor(probe: Probe | undefined, onPause: (ms: number, failure: LlmCallFailure) => void) {
    this.probe = probe;
    this.onPause = onPause;
    this.state = probe === undefined ? 'answers' : 'unknown';
  }

  /** Whether requests may be asked. */
  get answers(): boolean {
    return this.state === 'answers' && this.remainingPause() === 0;
  }

  /** Milliseconds until the endpoint may be asked again. */
  remainingPause(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }

  /**
   * Asks the endpoint whether it answers, and pauses again where it does not. Returns the failure, with the number of probes in a row that
   * failed; undefined when requests may be claimed. A failure of kind `fatal` is for whoever set the agent up.
   */
  async check(
    signal: AbortSignal,
  ): Promise<{ readonly failure: LlmCallFailure; readonly times: number } | undefined> {
    const failure = await this.askNext(signal);
    if (failure === undefined) {
      this.state = 'answers';
      this.failedProbes = 0;
      return undefined;
    }
    if (failure.kind !== 'fatal') this.pause(failure);
    return { failure, times: this.failedProbes };
  }

  /** The failure of a request as it concerns the others: the probe's own, of scope `endpoint`, where that fails as well. */
  async judge(failure: LlmCallFailure, signal: AbortSignal): Promise<LlmCallFailure> {
    if (failure.scope === 'endpoint') {
      if (failure.kind === 'passing') this.pause(failure);
      return failure;
    }
    const mayConcernOthers = failure.kind === 'passing' || REFUSALS.has(failure.type);
    if (this.probe === undefined || !mayConcernOthers) return failure;
    const found = await this.askNext(signal);
    if (found === undefined) return failure;
    if (found.kind === 'passing') this.pause(found);
    return found;
  }

  private pause(failure: LlmCallFailure): void {
    // Failures of the same moment are one.
    if (this.remainingPause() > 0) return;
    if (this.probe !== undefined) {
      this.state = 'paused';
      this.failedProbes++;
    }
    const ownMs = backoffMs(Math.max(1, this.failedProbes), PAUSES.failedProbe);
    const ms = Math.round(Math.min(MAX_PAUSE_MS, Math.max(ownMs, failure.retryAfterMs ?? 0)));
    this.pausedUntil = performance.now() + ms;
    this.onPause(ms, failure);
  }

  /** The probe begins after this call. What has answered once is no mistyped address: it may be so again. */
  private async askNext(signal: AbortSignal): Promise<LlmCallFailure | undefined> {
    const failure = await (this.next ??= this.beginNext(signal));
    if (failure === undefined) this.hasAnswered = true;
    if (failure === undefined || !this.hasAnswered || !OF_THE_ADDRESS.has(failure.type)) return failure;
    const { type, message, cause } = failure;
    return new LlmCallFailure(type, message, { kind: 'passing', scope: 'endpoint', cause });
  }

  private async beginNext(signal: AbortSignal): Promise<LlmCallFailure | undefined> {
    await this.running;
    await delay(Math.max(0, this.begun + PAUSES.probeIntervalMs - performance.now()), undefined, {
      ref: false,
      signal,
    }).catch(() => {});
    this.next = undefined;
    this.begun = performance.now();
    const outcome = this.probe?.(signal) ?? Promise.resolve(undefined);
    this.running = outcome;
    return outcome;
  }
}
