import type { Connection } from './connection.ts';
import { sweepDeadlines } from './deadline-sweep.ts';
import { checkJobs } from './job-check.ts';
import { type ShardKeys, taskIdOf, taskRef } from './keys.ts';
import { LiveWorkers } from './live-workers.ts';
import type { Queues } from './queues.ts';
import type { ResumeJob } from './resume-job.ts';
import { run } from './scripts/script.ts';
import { DEQUEUE, LOAD_TASKS } from './scripts/registry.ts';
import type { Segment } from './segment.ts';
import type { Tenant } from './tenant.ts';

/** How many tasks a job takes at most, and how large they may be in all, in bytes, before it takes no more. */
const BATCH = 16;
const BATCH_BYTES = 4_194_304;

/** What a job has to run: tasks that were loaded, and those of the batch that are still to be. */
export type Batch =
  | { readonly kind: 'taken'; readonly segments: readonly Segment[]; readonly unloaded: readonly string[] }
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
  readonly workers: LiveWorkers;
  private readonly connection: Connection;
  private readonly keys: ShardKeys;
  private readonly queues: Queues;
  private readonly tenant: (name: string) => Tenant;

  constructor(
    index: number,
    connection: Connection,
    keys: ShardKeys,
    queues: Queues,
    tenant: (name: string) => Tenant,
  ) {
    this.index = index;
    this.connection = connection;
    this.keys = keys;
    this.queues = queues;
    this.tenant = tenant;
    this.workers = new LiveWorkers(connection, keys);
  }

  /**
   * The batch of a job, for a worker that has `programs` (`"<name> <version>"`). With `fresh` false only what an earlier
   * run left of it.
   */
  async dequeue(
    { tenant: name, list, number, tasks }: ResumeJob,
    programs: readonly string[],
    { most = BATCH, fresh = true }: { most?: number; fresh?: boolean } = {},
  ): Promise<Batch> {
    const tenant = this.tenant(name);
    const { keys } = tenant;
    const held = list === 'held' ? programs : [];
    const reply = await run(
      this.connection,
      DEQUEUE,
      keys.queue,
      {
        member: keys.backlog,
        list,
        number,
        most,
        fresh: fresh ? 1 : 0,
        bytes: BATCH_BYTES,
        programs: held.length,
      },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: [...held, ...tasks.map(taskRef)] },
    );
    const [kind, next = '', text = '[]', ...refs] = reply.map(String);
    tenant.addJob(next);
    if (kind === 'lacking') return { kind };
    const taken = refs.map(taskIdOf);
    if (kind === 'again') return { kind, unloaded: await this.leastTriedFirst(tenant, taken) };
    const loaded = JSON.parse(text) as Loaded[];
    const segments: Segment[] = [];
    const unloaded: string[] = [];
    for (const [at, taskId] of taken.entries()) {
      const one = loaded[at];
      if (Array.isArray(one)) segments.push(tenant.segment(taskId, number, one));
      else unloaded.push(taskId);
    }
    return { kind: 'taken', segments, unloaded };
  }

  /** Loads tasks of a job's batch, as many as there is room for; `unloaded` are the others. What has ended is left out. */
  async load(
    name: string,
    number: number,
    tasks: readonly string[],
  ): Promise<{ segments: Segment[]; unloaded: string[] }> {
    if (tasks.length === 0) return { segments: [], unloaded: [] };
    const tenant = this.tenant(name);
    const { keys } = tenant;
    const [next, text] = await run(
      this.connection,
      LOAD_TASKS,
      keys.queue,
      { member: keys.backlog, number, bytes: BATCH_BYTES },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: tasks.map(taskRef) },
    );
    tenant.addJob(String(next));
    const loaded = JSON.parse(String(text)) as Loaded[];
    const segments: Segment[] = [];
    const unloaded: string[] = [];
    for (const [at, taskId] of tasks.entries()) {
      const one = loaded[at];
      if (Array.isArray(one)) segments.push(tenant.segment(taskId, number, one));
      else if (one === '') unloaded.push(taskId);
    }
    return { segments, unloaded };
  }

  /** Loads one task anew behind a new fence; undefined when it has ended, or another has it. */
  async reload({ tenant, taskId, job }: Segment): Promise<Segment | undefined> {
    return (await this.load(tenant, job, [taskId])).segments[0];
  }

  /** One that takes its worker down would otherwise keep those behind it from being run. */
  private async leastTriedFirst({ keys }: Tenant, tasks: readonly string[]): Promise<string[]> {
    const tries = await this.connection.command((client) =>
      Promise.all(tasks.map((taskId) => client.hget(keys.task(taskId), 'tr'))),
    );
    const all = tasks.map((taskId, at) => ({ taskId, tries: Number(tries[at] ?? 0) }));
    return all.sort((a, b) => a.tries - b.tries).map(({ taskId }) => taskId);
  }

  /** Gives tasks what has fallen due, until nothing is. */
  async sweep(): Promise<void> {
    await sweepDeadlines(this.connection, this.keys, this.tenant);
  }

  /** Gives jobs to what stands without one. */
  async checkJobs(): Promise<void> {
    await checkJobs(this.connection, this.index, this.keys, this.queues, this.tenant);
  }
}
