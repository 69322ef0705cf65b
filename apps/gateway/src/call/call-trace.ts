/** An answer, and where the task that waited for it goes on. */
export interface WaitedAnswer {
  /** The `traceparent` of the request that started the task (W3C Trace Context). */
  readonly traceparent: string;
  readonly taskId: string;
  readonly interactionId: string;
  readonly waitedMs: number;
}

/** The span of the request that a call came with. */
export interface CallTrace {
  /** Names the span by the tool that runs. */
  setTool(name: string): void;
  /** Says which task the call has started, or is about. */
  setTask(taskId: string): void;
  /** Records how long a task waited for an answer, in the task's trace, with a link to the request that brought it. */
  recordWait(answer: WaitedAnswer): void;
}
