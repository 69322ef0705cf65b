/** What the client of a call may be asked within it, and what it brings when it repeats the call (MCP 2026-07-28, basic/patterns/mrtr). */
export interface MultiRoundTrip {
  /** Whether it is shown requests for an LLM as `sampling/createMessage`. */
  readonly takesSampling: boolean;
  /** Whether such requests may have tools. */
  readonly takesTools: boolean;
  /** As they came; undefined where the call begins. */
  readonly requestState: unknown;
  readonly inputResponses: unknown;
}
