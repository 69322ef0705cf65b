import type { SegmentEnd } from '@baton/runner';
import type { Worker } from '@baton/store/shards';
import type { CallEnd } from './provider-calls/call-processor.ts';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Prometheus' view of one worker. */
export class WorkerMetrics {
  readonly registry = new Registry();
  private readonly jobs = this.counter(
    'baton_jobs_total',
    'BullMQ jobs that this worker ran, by how they ended',
    ['queue', 'outcome'],
  );
  private readonly stalls = this.counter(
    'baton_stalled_jobs_total',
    'BullMQ jobs that this worker found stalled and put back',
    ['queue'],
  );
  private readonly tasks = this.counter(
    'baton_resumed_tasks_total',
    'Tasks that jobs resumed, by how they ended',
    ['end'],
  );
  private readonly calls = this.counter(
    'baton_provider_calls_total',
    'Jobs of calls to LLM endpoints, by how they ended',
    ['end'],
  );
  private readonly batch = new Histogram({
    name: 'baton_resume_job_tasks',
    help: 'Tasks that one job of the queue resume ran',
    buckets: [0, 1, 2, 4, 8, 16],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Counts how the tasks of one job ended. */
  readonly observeBatch = (ends: readonly SegmentEnd[]): void => {
    this.batch.observe(ends.length);
    for (const { kind } of ends) this.tasks.inc({ end: kind });
  };

  /** Counts how the job of a call to an LLM endpoint ended. */
  readonly countCall = (end: CallEnd): void => this.calls.inc({ end });

  /** Counts the jobs of one of BullMQ's workers. */
  countJobs(worker: Worker, log: Logger): void {
    const queue = worker.name;
    worker.on('completed', () => this.jobs.inc({ queue, outcome: 'completed' }));
    worker.on('failed', (job, error) => {
      const again = job !== undefined && job.finishedOn === undefined;
      this.jobs.inc({ queue, outcome: again ? 'retried' : 'failed' });
      log.warn({ queue, job: job?.id, reason: error.message, again }, 'job failed');
    });
    worker.on('stalled', (job) => {
      this.stalls.inc({ queue });
      log.warn({ queue, job }, 'job stalled and was put back');
    });
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
