/**
 * The worker: `worker` starts and stops it. `resume-processor` runs the jobs of the queues `resume` and `held`,
 * `provider-calls` those of `calls`,
 * which ask LLM endpoints, `sweep-processor` those of `deadlines`; `heartbeat` announces the worker's programs; `monitoring-server` serves probes and `metrics`.
 */
export { startMonitoringServer } from './monitoring-server.ts';
export { type RunningWorker, startWorker, type WorkerConfiguration } from './worker.ts';
