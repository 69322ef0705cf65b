import type { DelegatedRequest } from './delegated-request.ts';
import type { Usage } from './usage.ts';

/** How a task stood once an answer was taken, as `agent_llm` told it. `working`: it had not gone on when the wait ended. */
export interface TaskState {
  readonly taskId: string;
  readonly status: string;
  /** Of a task that failed. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** What an answer cost, where the endpoint said so. */
interface AnswerCost {
  readonly model?: string;
  readonly usage?: Usage;
}

/** How the work on one interaction ended. */
export type RequestOutcome =
  /** Baton has the answer. */
  | ({ readonly kind: 'answered'; readonly task: TaskState } & AnswerCost)
  /** Baton has the answer, which does not fit its schema even after a repair: it asks again, or the task fails. */
  | ({ readonly kind: 'rejected'; readonly problem: string; readonly task: TaskState } & AnswerCost)
  /** The LLM call was given up, and Baton was told why; without `task` it took not even that. */
  | { readonly kind: 'failed'; readonly type: string; readonly message: string; readonly task?: TaskState }
  /** Another agent answered, or the interaction is closed. */
  | { readonly kind: 'superseded'; readonly code: string }
  /** Given back, for other agents or another time: the lease was lost, the agent was stopped, or the endpoint does not answer. */
  | { readonly kind: 'abandoned'; readonly reason: 'lease' | 'stopped' | 'endpoint' };

/** What happens to one interaction. */
export type RequestEvent =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'repairing'; readonly problem: string }
  | { readonly kind: 'retrying'; readonly type: string; readonly message: string; readonly inMs: number }
  | (RequestOutcome & { readonly tookMs: number });

/** What an agent reports. It holds no prompts, answers or keys, but the request itself under `request`. */
export type AgentEvent =
  | (RequestEvent & { readonly request: DelegatedRequest })
  /** The endpoint does not answer, whatever is asked of it: nothing is claimed, and it is asked again in `inMs`. */
  | { readonly kind: 'holding'; readonly type: string; readonly message: string; readonly inMs: number }
  /** A claim failed: Baton is unreachable or over a limit. The next claim is in `inMs`. */
  | { readonly kind: 'unreachable'; readonly message: string; readonly inMs: number }
  | { readonly kind: 'stopping'; readonly inFlight: number };

/** How many interactions ended in which way, and how many of their tasks ended while this agent looked. */
export type Totals = Record<RequestOutcome['kind'] | 'tasksCompleted' | 'tasksFailed', number>;
