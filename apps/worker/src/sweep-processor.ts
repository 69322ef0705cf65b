import type { TaskMetrics } from '@baton/runner';
import type { JobProcessor, WorkerShard } from '@baton/store/shards';
import type { Logger } from 'pino';

/**
 * BullMQ's processor of the queue `deadlines`: expires and wakes tasks until nothing is due, then adds jobs for lists that
 * have none. `onEnd` is told of each task that has ended by it. Deletions of tenants that were cut off it goes on with one at a time, and does
 * not wait for them: one takes as long as a SCAN over all keys, and a later sweep names those again that had no turn. The job scheduler may add the next sweep while one runs; two at once change nothing twice.
 */
export function createSweepProcessor(
  shard: WorkerShard,
  log: Logger,
  onEnd: TaskMetrics['countEnd'],
): JobProcessor {
  const end = { status: 'failed', code: 'task_expired' } as const;
  let isDeleting = false;
  async function finishDeletion(tenant: string): Promise<void> {
    if (isDeleting) return;
    isDeleting = true;
    try {
      await shard.removeDeletedTenant(tenant);
      log.info(
        { audit: 'tenant_deleted', tenant, by: 'operator' },
        'tenant deleted, after its deletion was cut off',
      );
    } catch (err) {
      log.warn({ err, tenant }, 'a deletion was cut off again');
    } finally {
      isDeleting = false;
    }
  }
  return async () => {
    const cutOff = await shard.sweepDueTasks((task) => {
      log.info({ event: 'ended', ...task, ...end }, 'ended');
      onEnd(end.status, end.code);
    });
    for (const tenant of cutOff) void finishDeletion(tenant);
    await shard.requeueLostJobs();
  };
}
