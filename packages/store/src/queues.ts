import { type Job, Queue, Worker } from 'bullmq';
import type { Connection } from './connection.ts';
import type { Keyspace } from './keys.ts';

/**
 * BullMQ wakes workers; it does not hold the work. A job says "drain this shard": what there is to do stands in the
 * ready set, so a lost job delays a resume until the next sweep and loses nothing.
 */
const NAME = 'drain';

/** A shard gets a further job for every so many tasks that stand ready, so that more workers join in. */
const TASKS_PER_JOB = 64;

export class Queues {
  private readonly queues: readonly Queue[];

  constructor(connection: Connection, keyspace: Keyspace) {
    this.queues = Array.from({ length: keyspace.shards }, (_, shard) => {
      const queue = new Queue(NAME, {
        connection: connection.client,
        prefix: keyspace.shard(shard).bull,
        skipVersionCheck: true,
        defaultJobOptions: { removeOnComplete: true, removeOnFail: 100, attempts: 1 },
      });
      queue.on('error', () => {});
      return queue;
    });
  }

  /** Adds a job if `ready`, the size of the ready set after something joined it, calls for one. Never throws. */
  async wake(shard: number, ready: number): Promise<void> {
    if (ready !== 1 && (ready === 0 || ready % TASKS_PER_JOB !== 0)) return;
    await this.add(shard);
  }

  /** Adds a job; false when Redis did not take it. That is the sweeper's to mend: what is ready stays ready. */
  async add(shard: number): Promise<boolean> {
    const added = this.queues[shard]?.add(NAME, {}).then(
      () => true,
      () => false,
    );
    return (await added) ?? false;
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close()));
  }
}

/** Runs `drain` for each job of a shard, one at a time: a drain takes whatever is ready, so a second one finds nothing. */
export function drainWorker(
  connection: Connection,
  keyspace: Keyspace,
  shard: number,
  drain: (job: Job) => Promise<void>,
): Worker {
  const client = connection.patient();
  const worker = new Worker(NAME, drain, {
    connection: client,
    prefix: keyspace.shard(shard).bull,
    concurrency: 1,
    skipVersionCheck: true,
    stalledInterval: 30_000,
    maxStalledCount: 10,
  });
  worker.on('error', () => {});
  // BullMQ leaves open what it was given.
  worker.once('closed', () => client.disconnect());
  return worker;
}
