/** What REST shows when nothing changes any more. Times are Redis's clock in milliseconds. */
export interface FinalState {
  readonly readAt: number;
  readonly tasks: readonly FinalTask[];
  /** The titles in each project, in order. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  /** The tenant's counter of tasks that have not ended. */
  readonly openTasks: number;
}

export interface FinalTask {
  readonly taskId: string;
  readonly operation: string;
  readonly status: string;
  readonly endedAt: number;
  readonly expiresAt: number;
  /** Its result or error as canonical JSON. */
  readonly end?: string;
  readonly errorCode?: string;
  /** How many LLM calls its program makes in parallel. */
  readonly width: number;
  readonly interactions: readonly FinalInteraction[];
}

export interface FinalInteraction {
  readonly interactionId: string;
  readonly attempt: number;
  readonly status: string;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export function hasEnded(status: string): boolean {
  return ENDED.has(status);
}
