import type { ModelRole } from '@baton/protocol';
import { Agent } from './agent.ts';
import type { AnswerFunction } from './api/answer-function.ts';
import type { AgentEvent, Totals } from './api/events.ts';

export interface AnswerInteractionsOptions {
  /** Baton's MCP address, such as `https://baton.example/mcp`. */
  readonly url: string;
  /** An API key. With scope `agent` it answers its whole tenant's requests, otherwise those of its own principal. */
  readonly key: string;
  /** Makes the LLM call: a function of one's own, or `answerWith(model)`. */
  readonly answer: AnswerFunction;
  /** Requests in flight at once, 1 to 50; 4 by default. */
  readonly concurrency?: number;
  /** Only requests for this role; all when left out. */
  readonly role?: ModelRole | undefined;
  /** Only requests of this operation, such as `expand_task`; all when left out. */
  readonly operation?: string | undefined;
  /**
   * For how long a claim hides a request from other agents; 60,000 ms by default. It is renewed while the request is
   * worked on, so it bounds how long the work of an agent that died waits, not how long an LLM may take.
   */
  readonly leaseMs?: number;
  /** How long one LLM call may take; 120,000 ms by default. */
  readonly timeoutMs?: number;
  /** LLM calls for one request at most, a repair included; 5 by default. */
  readonly tries?: number;
  /** Ends when nothing waits any more, rather than when it is stopped. */
  readonly once?: boolean;
  /** Called with each event as it happens. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** A started agent. */
export interface RunningAgent {
  /** Resolves when it has ended; rejects when no further request could be answered, such as when a key is refused. */
  readonly done: Promise<Totals>;
  /** Claims nothing more and finishes what is in flight within `withinMs` (25,000); the rest is left to other agents. */
  stop(withinMs?: number): Promise<Totals>;
}

/**
 * Answers the LLM requests that wait in Baton: claims them, has them answered, checks each answer against its schema,
 * has it repaired once, tries again what may pass, and posts. Any number of agents share a backlog.
 */
export function answerInteractions(options: AnswerInteractionsOptions): RunningAgent {
  const { concurrency = 4, leaseMs = 60_000, timeoutMs = 120_000, tries = 5, once = false } = options;
  refuseOutside('concurrency', concurrency, 1, 50);
  refuseOutside('leaseMs', leaseMs, 1_000, 3_600_000);
  refuseOutside('timeoutMs', timeoutMs, 100, 3_600_000);
  refuseOutside('tries', tries, 1, 100);
  const { url, key, answer, role, operation, onEvent = () => {} } = options;
  const only = { ...(role === undefined ? {} : { role }), ...(operation === undefined ? {} : { operation }) };
  const agent = new Agent({ url, key, answer, only, onEvent, concurrency, leaseMs, timeoutMs, tries, once });
  const done = agent.run();
  return {
    done,
    stop(withinMs = 25_000) {
      agent.stop(withinMs);
      return done;
    },
  };
}

function refuseOutside(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} is ${value}; it must be a whole number from ${least} to ${most}`);
}
