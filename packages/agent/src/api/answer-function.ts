import type { DelegatedRequest } from './delegated-request.ts';

/**
 * Makes the LLM call and returns what Baton takes as `data`: `{ text }`, `{ object }` or the bare object, with
 * `toolCalls`, `model` and `usage` where there are any. Throws an LlmCallFailure to say what kind of failure it was.
 * `signal` is aborted when the result is no longer wanted.
 */
export type AnswerFunction = (
  request: DelegatedRequest,
  call: { readonly signal: AbortSignal },
) => Promise<unknown>;
