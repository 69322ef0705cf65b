/** The worker's entry point: opens the shards, and exports what their jobs need. Crosses tenants. */
import type { Job, Worker } from 'bullmq';
import { storeInternalsOf } from './store-internals.ts';
import { WorkerShard } from './shard/worker-shard.ts';
import type { Store } from './store.ts';

export { JobWorkers } from './job-workers.ts';
export { DelayedError, UnrecoverableError } from 'bullmq';
export { taskRef } from './records/keys.ts';
export { extendJobLock, type JobProcessor } from './queues/job-worker.ts';
export { parseCallJob } from './queues/call-job.ts';
export type { BegunCall, CallStart } from './shard/provider-calls.ts';
export { parseResumeJob, type ResumeJob } from './queues/resume-job.ts';
export type { FencedSegment, LoadedTask } from './tasks/fenced-segment.ts';
export type { TaskBatch, WorkerShard } from './shard/worker-shard.ts';
export type { Job, Worker };

export function createWorkerShards(store: Store): WorkerShard[] {
  const { connection, keyspace, queues, contextOf } = storeInternalsOf(store);
  return Array.from(
    { length: keyspace.shards },
    (_, index) => new WorkerShard(index, connection, keyspace, queues, contextOf),
  );
}
