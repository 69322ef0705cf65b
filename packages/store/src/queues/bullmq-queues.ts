import { Queue } from 'bullmq';
import type { Connection } from '../redis/connection.ts';
import type { Keyspace } from '../records/keys.ts';
import { type CallJob, callJobId } from './call-job.ts';
import { jobId, parseJobRequest } from './resume-job.ts';
import { toUnavailable } from '../redis/redis-errors.ts';
import { SWEEP_INTERVAL } from '../records/durations.ts';

/**
 * BullMQ's queues, four of each shard, under the prefix `baton:{s0}:bull`: `resume`, whose jobs run a batch of a tenant's
 * list `ready`; `held`, the same for the list of tasks that wait for a worker with their program; `calls`, whose jobs make one call to an LLM
 * endpoint each; and `deadlines`, whose
 * scheduler sweeps the shard. The lists are the outbox: a lost job delays its tasks until `requeueLostJobs`, and loses none.
 */
const QUEUE_NAMES = ['resume', 'held', 'calls', 'deadlines'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

const SWEEP_JOB = 'sweep';

/** BullMQ runs a failing job so many times; the back-off doubles from half a second. */
const ATTEMPTS = 8;
const JOB_OPTIONS = {
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: 500, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: { count: 1_000, age: 7 * 86_400 },
} as const;

/** A call that failed for good leaves BullMQ, so that it can be added again while its task waits for it. */
const CALL_OPTIONS = (job: CallJob) => ({ jobId: callJobId(job), removeOnFail: true });

/** The number of jobs of one queue of a shard in one of BullMQ's states. */
export interface JobCount {
  readonly shard: number;
  readonly queue: QueueName;
  readonly state: string;
  readonly count: number;
}

export class BullmqQueues {
  private readonly shards: readonly Readonly<Record<QueueName, Queue>>[];

  constructor(connection: Connection, keyspace: Keyspace) {
    this.shards = Array.from({ length: keyspace.shards }, (_, shard) => {
      const open = (name: QueueName) => {
        const queue = new Queue(name, {
          connection: connection.client,
          prefix: keyspace.shard(shard).bull,
          skipVersionCheck: true,
          defaultJobOptions: JOB_OPTIONS,
        });
        queue.on('error', () => {});
        return queue;
      };
      return {
        resume: open('resume'),
        held: open('held'),
        calls: open('calls'),
        deadlines: open('deadlines'),
      };
    });
  }

  queue(shard: number, name: QueueName): Queue {
    const queue = this.shards[shard]?.[name];
    if (queue === undefined) throw new Error(`there is no shard ${shard}`);
    return queue;
  }

  /** Every queue, with its shard. */
  get allQueues(): { shard: number; name: QueueName; queue: Queue }[] {
    return this.shards.flatMap((queues, shard) =>
      QUEUE_NAMES.map((name) => ({ shard, name, queue: queues[name] })),
    );
  }

  /** Adds the jobs that a script requests, if it does. Never throws: `requeueLostJobs` replaces a job that was not added. */
  enqueueJobs(shard: number, tenant: string, asked: string, task?: string): void {
    if (asked.includes('call')) {
      for (const one of asked.split(',')) {
        if (one.endsWith(' call')) this.enqueueCall(shard, { tenant, call: one.slice(0, -' call'.length) });
        else this.enqueueJobs(shard, tenant, one, task);
      }
      return;
    }
    const job = parseJobRequest(tenant, asked, task === undefined ? [] : [task]);
    if (job === undefined) return;
    this.queue(shard, job.list === 'held' ? 'held' : 'resume')
      .add('resume', job, { jobId: jobId(job) })
      .catch(() => {});
  }

  /** Adds the job of a call to an LLM endpoint; adding it again adds nothing. Never throws. */
  enqueueCall(shard: number, job: CallJob): void {
    this.queue(shard, 'calls')
      .add('call', job, CALL_OPTIONS(job))
      .catch(() => {});
  }

  /** True when BullMQ has the job in one of its queues, to run it now or later. */
  async hasJob(shard: number, id: string): Promise<boolean> {
    const names = ['resume', 'held'] as const;
    const states = await Promise.all(names.map((name) => this.queue(shard, name).getJobState(id)));
    return states.some((state) => state !== 'unknown' && state !== 'failed' && state !== 'completed');
  }

  /**
   * Schedules the sweeps of a shard in BullMQ from now on, unless one waits to be run. An earlier schedule is removed: it goes on from
   * its last sweep, by the clock of the worker that ran it, which may have been ahead.
   */
  async scheduleSweeps(shard: number): Promise<void> {
    const opts = { attempts: 1, removeOnFail: { count: 100, age: 86_400 } };
    const queue = this.queue(shard, 'deadlines');
    if ((await queue.getWaitingCount()) > 0) return;
    await queue.removeJobScheduler(SWEEP_JOB);
    await queue.upsertJobScheduler(
      SWEEP_JOB,
      { every: SWEEP_INTERVAL },
      { name: SWEEP_JOB, data: { shard }, opts },
    );
  }

  /** The queues that are paused, as `<shard>:<queue>`. Errors: `unavailable`. */
  async pausedQueues(): Promise<string[]> {
    const all = await Promise.all(
      this.allQueues.map(async ({ shard, name, queue }) =>
        (await queue.isPaused()) ? [`s${shard}:${name}`] : [],
      ),
    ).catch((error: unknown) => Promise.reject(toUnavailable(error)));
    return all.flat();
  }

  /** The number of jobs in each state, of every queue. Errors: `unavailable`. */
  async jobCounts(): Promise<JobCount[]> {
    const all = await Promise.all(
      this.allQueues.map(async ({ shard, name, queue }) => {
        const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
        return Object.entries(counts).map(([state, count]) => ({ shard, queue: name, state, count }));
      }),
    ).catch((error: unknown) => Promise.reject(toUnavailable(error)));
    return all.flat();
  }

  /** How long the job has waited that waits longest for a worker, in milliseconds; undefined where none waits. Errors: `unavailable`. */
  async oldestWait(name: QueueName): Promise<number | undefined> {
    const oldest = await Promise.all(this.shards.map(({ [name]: queue }) => queue.getWaiting(0, 0))).catch(
      (error: unknown) => Promise.reject(toUnavailable(error)),
    );
    const times = oldest.flat().map(({ timestamp }) => timestamp);
    return times.length === 0 ? undefined : Math.max(0, Date.now() - Math.min(...times));
  }

  async close(): Promise<void> {
    await Promise.all(this.allQueues.map(({ queue }) => queue.close()));
  }
}
