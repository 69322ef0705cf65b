import type { HistoryIndex } from './history-index.ts';
import type { Violation } from './violation.ts';
import { hasEnded } from './final-state.ts';

/** A task ends at most this long after its deadline while Redis and a worker run. */
export const DEADLINE_GRACE_MS = 5_000;

/**
 * I3: every task ends by its deadline plus 5 s, and none expires before its deadline. Time in which Redis, all workers or
 * the machine did not run is added to the 5 s.
 */
export function* checkDeadlines(index: HistoryIndex): Generator<Violation> {
  const { workers, final } = index;
  for (const { taskId, status, expiresAt, endedAt, errorCode } of final.tasks) {
    const end = hasEnded(status) ? endedAt : final.readAt;
    const late = end - expiresAt;
    if (late > DEADLINE_GRACE_MS && late > DEADLINE_GRACE_MS + index.outageMs(expiresAt, end, workers)) {
      yield violation(`task ${taskId} is ${status} ${late} ms after its deadline`);
    }
    if (errorCode === 'task_expired' && late < 0)
      yield violation(`task ${taskId} expired ${-late} ms before its deadline`);
  }
}

function violation(what: string): Violation {
  return { invariant: 'I3', what };
}
