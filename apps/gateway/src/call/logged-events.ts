/** What is logged of calls; workers log `parked` and `ended` of what they resume. */
export type LoggedEvent = 'parked' | 'answered' | 'ended' | 'refused';

/** What a line says beside request, caller and time: ids, names and codes, and nothing of what was said. */
export interface EventFacts {
  readonly principal?: string | undefined;
  /** The tool or the method of MCP that was called. */
  readonly tool?: string | undefined;
  /** Of a refusal over HTTP that is no tool's: method and path, with names in the place of ids. */
  readonly route?: string | undefined;
  readonly taskId?: string | undefined;
  readonly interactionId?: string | undefined;
  readonly status?: string;
  readonly code?: string;
  readonly replayed?: boolean;
  /** Of an answer: how long its LLM request waited, in milliseconds. */
  readonly waitedMs?: number | undefined;
}

export type LogEvent = (event: LoggedEvent, facts: EventFacts) => void;
