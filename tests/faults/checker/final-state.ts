/** What Redis holds when everything has come to rest, as the public REST shows it. Times are Redis's milliseconds. */
export interface FinalState {
  readonly readAt: number;
  readonly tasks: readonly FinalTask[];
  /** The titles in each project, in order. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  /** What the tenant's record counts as not ended. */
  readonly openTasks: number;
}

export interface FinalTask {
  readonly taskId: string;
  readonly operation: string;
  readonly status: string;
  readonly endedAt: number;
  readonly expiresAt: number;
  /** The text of its result or error. */
  readonly end?: string;
  readonly errorCode?: string;
  /** How many LLM calls its program makes side by side. */
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
