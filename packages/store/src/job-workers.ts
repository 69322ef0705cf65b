import type { Worker } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { restoreLayout } from './data-layout.ts';
import { storeInternalsOf } from './store-internals.ts';
import type { QueueName } from './queues/bullmq-queues.ts';
import { type JobProcessor, startJobWorker } from './queues/job-worker.ts';
import type { WorkerShard } from './shard/worker-shard.ts';
import type { Store } from './store.ts';

/** BullMQ's workers of one process, on a connection of their own whose commands wait for Redis as long as it takes. */
export class JobWorkers {
  private readonly store: Store;
  private readonly client: Redis | Cluster;
  private readonly workers: Worker[] = [];

  constructor(store: Store) {
    this.store = store;
    this.client = storeInternalsOf(store).connection.duplicateForWorker();
  }

  /** Runs the jobs of one queue of a shard with `run`, `concurrency` of them at once, until `close`. */
  start(shard: WorkerShard, name: QueueName, run: JobProcessor, concurrency?: number): Worker {
    const { keyspace } = storeInternalsOf(this.store);
    const worker = startJobWorker(this.client, keyspace.shard(shard.index).bull, name, run, {
      runRetryDelay: 1_000,
      concurrency,
    });
    this.workers.push(worker);
    return worker;
  }

  scheduleSweeps(shard: WorkerShard): Promise<void> {
    return storeInternalsOf(this.store).queues.scheduleSweeps(shard.index);
  }

  /** Records the number of shards, the layout and the secrets anew where it is lost: a Redis that came back without its data would take a process with another one. */
  restoreLayout(): Promise<void> {
    const { connection, keyspace, secretIds } = storeInternalsOf(this.store);
    return restoreLayout(connection, keyspace, secretIds);
  }

  /** Takes no more jobs and waits for the running ones, without a limit. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    this.disconnect();
  }

  /** Disconnects at once: running jobs are retried by another process when their locks expire. */
  disconnect(): void {
    this.client.disconnect();
  }
}
