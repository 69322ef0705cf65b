import { type SegmentEnd, TaskMetrics } from '@baton/runner';
import type { Store } from '@baton/store';
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
  private readonly repeats = this.counter(
    'baton_repeated_requests_total',
    'LLM requests that ask again, since an answer was of no use',
    [],
  );
  private readonly batch = new Histogram({
    name: 'baton_resume_job_tasks',
    help: 'Tasks that one job of the queue resume ran',
    buckets: [0, 1, 2, 4, 8, 16],
    registers: [this.registry],
  });

  private readonly lag = new Histogram({
    name: 'baton_resume_lag_seconds',
    help: 'How long the first task of a batch was ready before a worker took it',
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
    registers: [this.registry],
  });
  private readonly shared: TaskMetrics;

  constructor(store: Store) {
    this.shared = new TaskMetrics(this.registry, store);
    collectDefaultMetrics({ register: this.registry });
  }

  /** How long the first task of a batch was ready, in milliseconds. */
  readonly observeLag = (ms: number): void => this.lag.observe(ms / 1_000);

  /** Counts how the tasks of one job ended. */
  readonly observeBatch = (ends: readonly SegmentEnd[]): void => {
    this.batch.observe(ends.length);
    for (const end of ends) {
      this.tasks.inc({ end: end.kind });
      if (end.kind === 'parked') {
        this.shared.countPark();
        this.repeats.inc(end.repeats);
      }
      if (end.kind === 'completed') this.shared.countEnd('completed', '');
      else if (end.kind === 'failed') this.shared.countEnd('failed', end.code);
      else if (end.kind === 'broken') this.shared.countEnd('failed', end.error.code);
    }
  };

  /** Counts a task that ended without a segment. */
  readonly countEnd = (status: string, code: string): void => this.shared.countEnd(status, code);

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
