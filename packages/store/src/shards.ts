/** The worker's entry point: opens the shards, and exports what their jobs need. Crosses tenants. */
import type { Job, Worker } from 'bullmq';
import { internalsOf } from './internals.ts';
import { Shard } from './shard/shard.ts';
import type { Store } from './store.ts';

export { JobWorkers } from './job-workers.ts';
export { DelayedError, UnrecoverableError } from 'bullmq';
export { taskRef } from './records/keys.ts';
export { extendJobLock, type JobProcessor } from './queues/job-worker.ts';
export { parseResumeJob, type ResumeJob } from './queues/resume-job.ts';
export type { TaskLease, LoadedTask } from './tasks/task-lease.ts';
export type { TaskBatch, Shard } from './shard/shard.ts';
export type { Job, Worker };

export function openShards(store: Store): Shard[] {
  const { connection, keyspace, queues, contextOf } = internalsOf(store);
  return Array.from(
    { length: keyspace.shards },
    (_, index) => new Shard(index, connection, keyspace.shard(index), queues, contextOf),
  );
}
