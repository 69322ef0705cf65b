import type { DelegatedRequest } from './delegated-request.ts';
import type { LlmCallFailure } from './llm-call-failure.ts';

/**
 * Makes the LLM call and returns what Baton takes as `data`: `{ text }`, `{ object }` or the bare object, with
 * `toolCalls`, `model` and `usage` where there are any. Throws an LlmCallFailure to say what kind of failure it was.
 * `signal` is aborted when the result is no longer wanted. `onText`, of a request for a stream, may be given the text as it
 * comes, piece by piece, to have it posted in chunks; what is returned has the whole text all the same.
 */
export interface AnswerFunction {
  (
    request: DelegatedRequest,
    call: { readonly signal: AbortSignal; readonly onText?: (piece: string) => void },
  ): Promise<unknown>;
  /**
   * Asks the endpoint something that no caller wrote. The failure is of kind `fatal` where the endpoint refuses how the agent is set up, and
   * `passing` where it does not answer now; undefined when it answers. It never rejects. Without it no failure counts as the endpoint's own,
   * unless its `scope` says so.
   */
  readonly probe?: (signal: AbortSignal) => Promise<LlmCallFailure | undefined>;
}
