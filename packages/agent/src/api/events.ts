import type { DelegatedRequest } from './delegated-request.ts';

/** What an LLM call cost, in tokens. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** How the work on one interaction ended. */
export type RequestOutcome =
  /** Baton has the answer. `problem`: it does not fit its schema even after a repair, so Baton will ask again. */
  | { readonly kind: 'answered'; readonly model?: string; readonly usage?: Usage; readonly problem?: string }
  /** The LLM call was given up, and Baton was told why. */
  | { readonly kind: 'failed'; readonly type: string; readonly message: string }
  /** Somebody else answered, or nobody may any more. */
  | { readonly kind: 'superseded'; readonly code: string }
  /** Given back to whoever claims it next: the lease was lost or of no use, or the agent was told to stop. */
  | { readonly kind: 'abandoned'; readonly reason: 'lease' | 'stopped' };

/** What happens to one interaction. */
export type RequestEvent =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'repairing'; readonly problem: string }
  | { readonly kind: 'retrying'; readonly type: string; readonly message: string; readonly inMs: number }
  | (RequestOutcome & { readonly tookMs: number });

/** What an agent does, as it happens. No prompts, answers or keys are in it. */
export type AgentEvent =
  | (RequestEvent & { readonly request: DelegatedRequest })
  /** The endpoint asked to be left alone. */
  | { readonly kind: 'holding'; readonly ms: number }
  /** Baton cannot be reached, or has no time; it is asked again in `inMs`. */
  | { readonly kind: 'unreachable'; readonly message: string; readonly inMs: number }
  | { readonly kind: 'stopping'; readonly inFlight: number };

/** How many interactions ended in which way. */
export type Totals = Record<RequestOutcome['kind'], number>;
