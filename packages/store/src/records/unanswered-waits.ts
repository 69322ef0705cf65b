import { formatInteractionId } from '@baton/protocol';

/** A request of a traced task that has ended without an answer, and where that task's trace goes on. */
export interface UnansweredWait {
  readonly traceparent: string;
  readonly tenant: string;
  readonly taskId: string;
  readonly interactionId: string;
  readonly waitedMs: number;
  readonly code: 'interaction_expired' | 'interaction_cancelled';
}

/** Those that `unanswered_waits.lua` has described of a task. */
export function parseUnansweredWaits(
  described: unknown,
  task: Pick<UnansweredWait, 'tenant' | 'taskId' | 'code'>,
): UnansweredWait[] {
  const [traceparent = '', ...waits] = typeof described === 'string' ? described.split(' ') : [];
  return waits.map((wait) => {
    const [number, waitedMs] = wait.split(';').map(Number);
    const interactionId = formatInteractionId(task.taskId, number ?? 0);
    return { ...task, traceparent, interactionId, waitedMs: waitedMs ?? 0 };
  });
}
