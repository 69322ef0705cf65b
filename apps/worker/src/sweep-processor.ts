import type { JobProcessor, WorkerShard } from '@baton/store/shards';
import type { Logger } from 'pino';

/**
 * BullMQ's processor of the queue `deadlines`: expires and wakes tasks until nothing is due, then adds jobs for lists that
 * have none. The job scheduler may add the next sweep while one runs; two at once change nothing twice.
 */
export function createSweepProcessor(shard: WorkerShard, log: Logger): JobProcessor {
  return async () => {
    await shard.sweepDeadlines((task) =>
      log.info({ event: 'ended', ...task, status: 'failed', code: 'task_expired' }, 'ended'),
    );
    await shard.requeueLostJobs();
  };
}
