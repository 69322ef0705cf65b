import type { Operation } from '@baton/operations';
import { AnswerCheck, Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import { JobRunner, openShards, type Worker } from '@baton/store/shards';
import type { Logger } from 'pino';
import { startHeartbeat } from './heartbeat.ts';
import { WorkerMetrics } from './metrics.ts';
import { resumeJobs } from './resume-jobs.ts';
import { sweepJobs } from './sweep-jobs.ts';

export interface WorkerConfiguration {
  /** How long a SIGTERM waits for running jobs, in milliseconds; what is left goes on elsewhere when its lock has lapsed. */
  readonly drainMs: number;
}

export interface RunningWorker {
  readonly metrics: WorkerMetrics;
  /** When its loop last turned, by `performance.now()`. */
  readonly lastTickAt: () => number;
  /** Takes nothing more, lets running jobs end, and closes. */
  stop(): Promise<void>;
}

/** How long a worker leaves the queue `held` to others, in milliseconds, and up to twice that. */
const STAND_BACK_MS = 1_500;

/** Takes no job of a queue for a while: BullMQ would give the next one to whoever has just put one back. */
function standBack(worker: Worker): void {
  void worker.pause(true);
  setTimeout(() => void worker.resume(), STAND_BACK_MS * (1 + Math.random())).unref();
}

/** Starts one worker: three queues of each shard, and a heartbeat. `added` operations are for tests and benchmarks. */
export async function startWorker(
  configuration: WorkerConfiguration,
  store: Store,
  log: Logger,
  added: ReadonlyMap<string, Operation> = new Map(),
): Promise<RunningWorker> {
  const metrics = new WorkerMetrics();
  const check = new AnswerCheck();
  const programs = new Programs(added);
  const shards = openShards(store);
  const jobs = new JobRunner(store);
  const heartbeat = await startHeartbeat(store.replica, programs.names, shards, jobs, log);
  for (const shard of shards) {
    const resuming = { programs, check, log, ran: metrics.ran };
    metrics.watch(jobs.start(shard, 'resume', resumeJobs(shard, resuming)), log);
    const held: Worker = jobs.start(
      shard,
      'held',
      resumeJobs(shard, resuming, () => standBack(held)),
    );
    metrics.watch(held, log);
    metrics.watch(jobs.start(shard, 'deadlines', sweepJobs(shard)), log);
  }
  return {
    metrics,
    lastTickAt: heartbeat.lastTickAt,
    async stop() {
      // BullMQ's close has no time limit of its own, and a segment may wait for a Redis that is gone.
      const over = new Promise((resolve) => setTimeout(resolve, configuration.drainMs).unref());
      await Promise.race([Promise.all([heartbeat.stop(), jobs.close()]), over]);
      jobs.disconnect();
      await check.close();
    },
  };
}
