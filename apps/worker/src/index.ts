/**
 * The worker: `shift` is its time on a shard, `drain` resumes what is ready there, `sweep` gives out what has fallen due and what was forgotten. `worker` is
 * its life, from start to drain; `health` tells of it.
 */
export { serveHealth } from './health.ts';
export { type RunningWorker, startWorker, type WorkerConfiguration } from './worker.ts';
