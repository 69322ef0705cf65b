import type { Operation } from '@baton/operations';
import { CallerSchemaValidator, Programs } from '@baton/runner';
import type { Store } from '@baton/store';
import { JobWorkers, createWorkerShards, type Worker } from '@baton/store/shards';
import { recordAnswerWait, type Tracer } from '@baton/tracing';
import type { Logger } from 'pino';
import { startHeartbeatWithSweepRepair } from './heartbeat-with-sweep-repair.ts';
import { WorkerMetrics } from './metrics.ts';
import { AddressGuard } from './provider-calls/address-guard.ts';
import { createCallProcessor } from './provider-calls/call-processor.ts';
import type { EndpointModels } from './provider-calls/endpoint-models.ts';
import { createResumeProcessor } from './resume-processor.ts';
import { createSweepProcessor } from './sweep-processor.ts';

export interface WorkerConfiguration {
  /** How long a SIGTERM waits for running jobs, in milliseconds; another worker runs the rest when their locks lapse. */
  readonly drainMs: number;
  /** Calls to LLM endpoints that it makes at once, of all tenants. */
  readonly providerCalls: number;
  /** Networks in CIDR notation that such calls may reach beside the public internet. */
  readonly egressAllow: readonly string[];
  /** Records what it does for tasks whose request was traced; undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

export interface RunningWorker {
  readonly metrics: WorkerMetrics;
  /** When its heartbeat last began, by `performance.now()`. */
  readonly lastTickAt: () => number;
  /** Why Redis did not take its last heartbeat; undefined when it did. */
  readonly unavailableReason: () => string | undefined;
  /** Takes no more jobs, waits for the running ones up to `drainMs`, and closes. */
  stop(): Promise<void>;
}

/** For how long a worker that lacks a job's programs takes nothing from the queue `held`: so many ms, up to twice that. */
const HELD_PAUSE_MS = 1_500;

/** Pauses one of this worker's queues: BullMQ would otherwise give the job to the worker that has just returned it. */
function pauseBriefly(worker: Worker): void {
  void worker.pause(true);
  setTimeout(() => void worker.resume(), HELD_PAUSE_MS * (1 + Math.random())).unref();
}

/** Of many shards each may make a few calls at once, whatever all of them together come to. */
const LEAST_CALLS_OF_SHARD = 4;

/** A segment holds a place of its shard while its answer waits to be checked: what takes longer is postponed. */
const MAX_CHECK_WAIT_MS = 200;

async function loadModels(guard: AddressGuard): Promise<EndpointModels> {
  const { EndpointModels } = await import('./provider-calls/endpoint-models.ts');
  return new EndpointModels(guard);
}

/** Starts a worker: four BullMQ workers for each shard, and a heartbeat. `added` operations are for tests and benchmarks. */
export async function startWorker(
  configuration: WorkerConfiguration,
  store: Store,
  log: Logger,
  added: ReadonlyMap<string, Operation> = new Map(),
): Promise<RunningWorker> {
  const metrics = new WorkerMetrics(store);
  const check = new CallerSchemaValidator({ maxWaitMs: MAX_CHECK_WAIT_MS });
  const guard = new AddressGuard(configuration.egressAllow);
  let models: Promise<EndpointModels> | undefined;
  const openModels = () => (models ??= loadModels(guard));
  const programs = new Programs(added);
  const { tracer } = configuration;
  if (tracer !== undefined) store.onUnanswered((wait) => recordAnswerWait(tracer, wait));
  const shards = createWorkerShards(store);
  const jobs = new JobWorkers(store);
  const heartbeat = await startHeartbeatWithSweepRepair(store.replica, programs.names, shards, jobs, log);
  for (const shard of shards) {
    const { observeBatch: onBatch, observeLag: onLag } = metrics;
    const dependencies = { programs, check, log, tracer, onBatch, onLag };
    metrics.countJobs(jobs.start(shard, 'resume', createResumeProcessor(shard, dependencies)), log);
    const held: Worker = jobs.start(
      shard,
      'held',
      createResumeProcessor(shard, { ...dependencies, onMissingPrograms: () => pauseBriefly(held) }),
    );
    metrics.countJobs(held, log);
    const calls = createCallProcessor(shard, { openModels, log, tracer, onCall: metrics.countCall });
    const atOnce = Math.max(LEAST_CALLS_OF_SHARD, Math.ceil(configuration.providerCalls / shards.length));
    metrics.countJobs(jobs.start(shard, 'calls', calls, atOnce), log);
    metrics.countJobs(
      jobs.start(shard, 'deadlines', createSweepProcessor(shard, log, metrics.countEnd)),
      log,
    );
  }
  return {
    metrics,
    lastTickAt: heartbeat.lastTickAt,
    unavailableReason: heartbeat.unavailableReason,
    async stop() {
      // BullMQ's close has no time limit of its own, and a segment may wait for a Redis that is gone.
      const timeLimit = new Promise((resolve) => setTimeout(resolve, configuration.drainMs).unref());
      await Promise.race([Promise.all([heartbeat.stop(), jobs.close()]), timeLimit]);
      jobs.disconnect();
      await check.close();
    },
  };
}
