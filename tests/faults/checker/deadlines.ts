import type { Evidence, Violation } from './evidence.ts';
import { hasEnded } from './final-state.ts';

/** How long after its deadline a task has ended at the latest, while Redis and a worker live. */
export const GRACE_MS = 5_000;

/**
 * I3: every task has ended by its deadline plus 5 s, and none is ended by it before. Time in which Redis, all workers
 * or the machine were out does not count, since then there was nobody to end it.
 */
export function* checkDeadlines(evidence: Evidence): Generator<Violation> {
  const { workers, final } = evidence;
  for (const { taskId, status, expiresAt, endedAt, errorCode } of final.tasks) {
    const end = hasEnded(status) ? endedAt : final.readAt;
    const late = end - expiresAt;
    if (late > GRACE_MS && late > GRACE_MS + evidence.outage(expiresAt, end, workers)) {
      yield violation(`task ${taskId} is ${status} ${late} ms after its deadline`);
    }
    if (errorCode === 'task_expired' && late < 0)
      yield violation(`task ${taskId} expired ${-late} ms before its deadline`);
  }
}

function violation(what: string): Violation {
  return { invariant: 'I3', what };
}
