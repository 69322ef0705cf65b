import type { RunJob, Shard } from '@baton/store/shards';

/**
 * Runs a job of the queue `deadlines`: gives tasks what has fallen due until nothing is, and gives jobs to what stands
 * without one. BullMQ's job scheduler adds the next while one runs; two side by side change nothing twice.
 */
export function sweepJobs(shard: Shard): RunJob {
  return async () => {
    await shard.sweep();
    await shard.checkJobs();
  };
}
