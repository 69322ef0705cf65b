import type { PendingInteraction } from '@baton/store';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** What a tool gives back: structured data that fits its output schema, and a sentence for those who read text. */
export interface ToolReply {
  readonly text: string;
  readonly structured: object;
  /** The task that the reply is about, for the 2025 revisions' related-task metadata. */
  readonly taskId?: string | undefined;
  /** True when the work has parked within the call itself. What becomes of it at a worker is that worker's to log. */
  readonly hasParked?: boolean;
  /** True when the reply asks something of its caller: the text has the data as JSON, so that a client that reads only text can answer. */
  readonly asks?: boolean;
  /** The work that the call has started, while it goes on. */
  readonly unfinished?: UnfinishedTask;
  /** Content blocks of an agent's answer, after the text. */
  readonly blocks?: readonly ContentBlock[];
}

/** A task that goes on, and the requests that it waits for: none while it works. A dialect may show them in its own way. */
export interface UnfinishedTask {
  readonly taskId: string;
  readonly operation: string;
  readonly pending: readonly PendingInteraction[];
  /** When the call itself has begun it, in milliseconds since 1970; absent for a task that may be older. */
  readonly createdAt?: number;
  /** True where no other call can come to it: it was begun without an idempotency key. */
  readonly isOfThisCall?: boolean;
}
