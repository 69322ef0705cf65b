import type { Connection } from '../redis/connection.ts';
import { sweepDeadlines } from './deadline-sweep.ts';
import { reconcileJobs } from './job-reconciliation.ts';
import { type ShardKeys, taskIdFromRef, taskRef } from '../records/keys.ts';
import { WorkerRegistry } from '../queues/worker-registry.ts';
import type { BullmqQueues } from '../queues/bullmq-queues.ts';
import type { ResumeJob } from '../queues/resume-job.ts';
import { run } from '../scripts/script.ts';
import { DEQUEUE, LOAD_TASKS } from '../scripts/registry.ts';
import type { TaskLease } from '../tasks/task-lease.ts';
import type { TenantStore } from '../tenant-store.ts';

/** How many tasks a job takes at most, and how large they may be in all, in bytes, before it takes no more. */
const BATCH_SIZE = 16;
const BATCH_BYTES = 4_194_304;

/** What a job has to run: tasks that were loaded, and those of the batch that are still to be. */
export type Batch =
  | { readonly kind: 'taken'; readonly segments: readonly TaskLease[]; readonly unloaded: readonly string[] }
  /** An earlier run of the same job took them, and did not come to its end; the least tried first. */
  | { readonly kind: 'again'; readonly unloaded: readonly string[] }
  /** Something stands in the list, and the worker has the program of none. */
  | { readonly kind: 'lacking' };

/** What a script has loaded of a task: its fence, its tries and its fields; or why not (see load.lua). */
type Loaded = readonly (string | number)[] | string | false;

/**
 * A shard as workers see it: what is ready, what has fallen due. Crosses tenants, so only the worker may open it.
 */
export class Shard {
  readonly index: number;
  readonly workers: WorkerRegistry;
  private readonly connection: Connection;
  private readonly keys: ShardKeys;
  private readonly queues: BullmqQueues;
  private readonly tenant: (name: string) => TenantStore;

  constructor(
    index: number,
    connection: Connection,
    keys: ShardKeys,
    queues: BullmqQueues,
    tenant: (name: string) => TenantStore,
  ) {
    this.index = index;
    this.connection = connection;
    this.keys = keys;
    this.queues = queues;
    this.tenant = tenant;
    this.workers = new WorkerRegistry(connection, keys);
  }

  /**
   * The batch of a job, for a worker that has `programs` (`"<name> <version>"`). With `fresh` false only what an earlier
   * run left of it.
   */
  async dequeue(
    { tenant: name, list, number, tasks }: ResumeJob,
    programs: readonly string[],
    { most = BATCH_SIZE, fresh = true }: { most?: number; fresh?: boolean } = {},
  ): Promise<Batch> {
    const tenant = this.tenant(name);
    const { keys } = tenant;
    const held = list === 'held' ? programs : [];
    const reply = await run(
      this.connection,
      DEQUEUE,
      keys.queueKeys,
      {
        topic: keys.pendingTopic,
        list,
        number,
        limit: most,
        fresh: fresh ? 1 : 0,
        bytes: BATCH_BYTES,
        programs: held.length,
      },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: [...held, ...tasks.map(taskRef)] },
    );
    const [kind, next = '', text = '[]', ...refs] = reply.map(String);
    tenant.addJob(next);
    if (kind === 'lacking') return { kind };
    const taken = refs.map(taskIdFromRef);
    if (kind === 'again') return { kind, unloaded: await this.sortByTries(tenant, taken) };
    const loaded = JSON.parse(text) as Loaded[];
    const segments: TaskLease[] = [];
    const unloaded: string[] = [];
    for (const [at, taskId] of taken.entries()) {
      const one = loaded[at];
      if (Array.isArray(one)) segments.push(tenant.taskLease(taskId, number, one));
      else unloaded.push(taskId);
    }
    return { kind: 'taken', segments, unloaded };
  }

  /** Loads tasks of a job's batch, as many as there is room for; `unloaded` are the others. What has ended is left out. */
  async load(
    name: string,
    number: number,
    tasks: readonly string[],
  ): Promise<{ segments: TaskLease[]; unloaded: string[] }> {
    if (tasks.length === 0) return { segments: [], unloaded: [] };
    const tenant = this.tenant(name);
    const { keys } = tenant;
    const [next, text] = await run(
      this.connection,
      LOAD_TASKS,
      keys.queueKeys,
      { topic: keys.pendingTopic, number, bytes: BATCH_BYTES },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: tasks.map(taskRef) },
    );
    tenant.addJob(String(next));
    const loaded = JSON.parse(String(text)) as Loaded[];
    const segments: TaskLease[] = [];
    const unloaded: string[] = [];
    for (const [at, taskId] of tasks.entries()) {
      const one = loaded[at];
      if (Array.isArray(one)) segments.push(tenant.taskLease(taskId, number, one));
      else if (one === '') unloaded.push(taskId);
    }
    return { segments, unloaded };
  }

  /** Loads one task anew behind a new fence; undefined when it has ended, or another has it. */
  async reload({ tenant, taskId, job }: TaskLease): Promise<TaskLease | undefined> {
    return (await this.load(tenant, job, [taskId])).segments[0];
  }

  /** One that takes its worker down would otherwise keep those behind it from being run. */
  private async sortByTries({ keys }: TenantStore, tasks: readonly string[]): Promise<string[]> {
    const tries = await this.connection.command((client) =>
      Promise.all(tasks.map((taskId) => client.hget(keys.task(taskId), 'tr'))),
    );
    const all = tasks.map((taskId, at) => ({ taskId, tries: Number(tries[at] ?? 0) }));
    return all.sort((a, b) => a.tries - b.tries).map(({ taskId }) => taskId);
  }

  /** Gives tasks what has fallen due, until nothing is. */
  async sweepDeadlines(): Promise<void> {
    await sweepDeadlines(this.connection, this.keys, this.tenant);
  }

  /** Gives jobs to what stands without one. */
  async reconcileJobs(): Promise<void> {
    await reconcileJobs(this.connection, this.index, this.keys, this.queues, this.tenant);
  }
}
