/**
 * The worker: `resume-jobs` runs BullMQ's jobs of the queue `resume`, `sweep-jobs` those of the queue `deadlines`,
 * `heartbeat` says that it lives. `worker` is its life, from start to drain; `health` and `metrics` tell of it.
 */
export { serveHealth } from './health.ts';
export { type RunningWorker, startWorker, type WorkerConfiguration } from './worker.ts';
