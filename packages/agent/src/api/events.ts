import type { DelegatedRequest } from './delegated-request.ts';

/** What an LLM call cost, in tokens. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** How the work on one interaction ended. */
export type RequestOutcome =
  /** Baton has the answer. `problem`: it does not fit its schema even after a repair, so Baton asks again. */
  | { readonly kind: 'answered'; readonly model?: string; readonly usage?: Usage; readonly problem?: string }
  /** The LLM call was given up, and Baton was told why. */
  | { readonly kind: 'failed'; readonly type: string; readonly message: string }
  /** Another agent answered, or the interaction is closed. */
  | { readonly kind: 'superseded'; readonly code: string }
  /** Released for other agents: the lease was lost or too short, or the agent was stopped. */
  | { readonly kind: 'abandoned'; readonly reason: 'lease' | 'stopped' };

/** What happens to one interaction. */
export type RequestEvent =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'repairing'; readonly problem: string }
  | { readonly kind: 'retrying'; readonly type: string; readonly message: string; readonly inMs: number }
  | (RequestOutcome & { readonly tookMs: number });

/** What an agent reports. It holds no prompts, answers or keys, but the request itself under `request`. */
export type AgentEvent =
  | (RequestEvent & { readonly request: DelegatedRequest })
  /** The endpoint's Retry-After pauses all requests for `ms`. */
  | { readonly kind: 'holding'; readonly ms: number }
  /** A claim failed: Baton is unreachable or over a limit. The next claim is in `inMs`. */
  | { readonly kind: 'unreachable'; readonly message: string; readonly inMs: number }
  | { readonly kind: 'stopping'; readonly inFlight: number };

/** How many interactions ended in which way. */
export type Totals = Record<RequestOutcome['kind'], number>;
