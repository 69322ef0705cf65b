import type { TaskMetrics } from '@baton/runner';
import type { JobProcessor, WorkerShard } from '@baton/store/shards';
import type { Logger } from 'pino';

/**
 * BullMQ's processor of the queue `deadlines`: expires and wakes tasks until nothing is due, then adds jobs for lists that
 * have none. `onEnd` is told of each task that has ended by it. The job scheduler may add the next sweep while one runs; two at once change nothing twice.
 */
export function createSweepProcessor(
  shard: WorkerShard,
  log: Logger,
  onEnd: TaskMetrics['countEnd'],
): JobProcessor {
  const end = { status: 'failed', code: 'task_expired' } as const;
  return async () => {
    await shard.sweepDueTasks((task) => {
      log.info({ event: 'ended', ...task, ...end }, 'ended');
      onEnd(end.status, end.code);
    });
    await shard.requeueLostJobs();
  };
}
