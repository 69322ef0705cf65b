import { addUsage, type Usage } from './usage.ts';

/** After a failure: `passing` is retried, `final` gives this request up, `fatal` ends the agent. */
export type FailureKind = 'passing' | 'final' | 'fatal';

/**
 * What a failure says something of: the `request`, by which its caller may have caused it, or the `endpoint`, whatever is
 * asked of it. Only the latter may delay other requests or, as `fatal`, end the agent.
 */
export type FailureScope = 'request' | 'endpoint';

/**
 * An LLM call that failed. `type` is what Baton is told: `rate_limit_error`, `timeout_error`, `overloaded_error` and
 * `api_error` it asks again, a bounded number of times; `agent_refused`, for a model that
 * will not answer, ends the task's call with that code, and any other type with `agent_error`.
 */
export class LlmCallFailure extends Error {
  override readonly name = 'LlmCallFailure';
  readonly type: string;
  readonly kind: FailureKind;
  readonly scope: FailureScope;
  /** How long the endpoint asked to be left alone, in milliseconds: with this request, or by `scope` with all. */
  readonly retryAfterMs: number | undefined;
  /** Of an answer that its limit cut off: the `maxTokens` by which to ask once more; undefined where no more may be allowed. */
  readonly moreTokens: number | undefined;
  /** What the endpoint counted for it, and for the calls before it. */
  readonly usage: Usage | undefined;

  constructor(
    type: string,
    message: string,
    more: {
      kind?: FailureKind;
      scope?: FailureScope;
      retryAfterMs?: number | undefined;
      moreTokens?: number | undefined;
      usage?: Usage | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.type = type;
    this.kind = more.kind ?? 'final';
    this.scope = more.scope ?? (this.kind === 'fatal' ? 'endpoint' : 'request');
    this.retryAfterMs = more.retryAfterMs;
    this.moreTokens = more.moreTokens;
    this.usage = more.usage;
  }

  /** The same failure, after calls that were paid for too. */
  withEarlierUsage(earlier: Usage | undefined): LlmCallFailure {
    return new LlmCallFailure(this.type, this.message, {
      ...this,
      cause: this.cause,
      usage: addUsage(earlier, this.usage),
    });
  }
}

/**
 * What was thrown by an `answer` function, as a failure. An error that it gave no name may be a bug, so it is not
 * tried again here, where it would fail again; Baton asks again a few times, perhaps of another agent.
 */
export function toLlmCallFailure(thrown: unknown): LlmCallFailure {
  if (thrown instanceof LlmCallFailure) return thrown;
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'The LLM call failed.';
  return new LlmCallFailure('api_error', message, { cause: thrown });
}
