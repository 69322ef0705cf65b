import { type Job, Worker } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { JOB_LOCK_TTL, STALLED_INTERVAL } from '../records/durations.ts';
import type { QueueName } from './bullmq-queues.ts';

/** A worker runs so many jobs of a shard's queue at once; a tenant has at most two (see scripts/lua/include/ready_queue.lua). */
const CONCURRENCY = { resume: 8, held: 1, deadlines: 1 } as const;

/** What one queue's worker does otherwise than the others. */
export interface JobWorkerOptions {
  readonly runRetryDelay: number;
  /** How many jobs it runs at once. */
  readonly concurrency?: number | undefined;
}

/** Runs one job; see `apps/worker`. `final` is true when BullMQ will not retry it, should it fail. */
export type JobProcessor = (job: Job, final: boolean, token: string) => Promise<void>;

/** Starts to run the jobs of one queue of a shard. */
export function startJobWorker(
  client: Redis | Cluster,
  prefix: string,
  name: QueueName,
  run: JobProcessor,
  { runRetryDelay, concurrency = name === 'calls' ? 1 : CONCURRENCY[name] }: JobWorkerOptions,
): Worker {
  const worker = new Worker(
    name,
    (job, token = '') => run(job, job.attemptsMade + 1 >= (job.opts.attempts ?? 1), token),
    {
      connection: client,
      prefix,
      concurrency,
      skipVersionCheck: true,
      lockDuration: JOB_LOCK_TTL,
      stalledInterval: STALLED_INTERVAL,
      // A task that kills its worker fails by its own count of tries: BullMQ must not give up its job before.
      maxStalledCount: 100,
      // In seconds: how long a job waits at most when the worker that it woke has stopped.
      drainDelay: 1,
      runRetryDelay,
    },
  );
  worker.on('error', () => {});
  return worker;
}

/** Extends the job's lock; false when another worker runs the job by now, since this one was stopped for too long. */
export async function extendJobLock(job: Job, token: string): Promise<boolean> {
  return (await job.extendLock(token, JOB_LOCK_TTL)) === 1;
}
