import { LRUCache } from 'lru-cache';
import type { RequestOutcome, TaskState, Totals } from './api/events.ts';

/** Ended tasks that are remembered, so that each counts once: several answers of one may be told that it ended. */
const MAX_REMEMBERED = 1_000;

/** Counts how requests ended, and how their tasks did. */
export class OutcomeCounts {
  readonly totals: Totals = {
    answered: 0,
    rejected: 0,
    failed: 0,
    superseded: 0,
    abandoned: 0,
    tasksCompleted: 0,
    tasksFailed: 0,
  };
  private readonly ended = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  add({ kind }: RequestOutcome, task?: TaskState): void {
    this.totals[kind]++;
    if (task !== undefined) this.addTask(task);
  }

  addTask({ taskId, status }: TaskState): void {
    const ending = ENDINGS[status];
    if (ending === undefined || this.ended.has(taskId)) return;
    this.ended.set(taskId, true);
    this.totals[ending]++;
  }
}

const ENDINGS: Readonly<Record<string, 'tasksCompleted' | 'tasksFailed'>> = {
  completed: 'tasksCompleted',
  failed: 'tasksFailed',
};
