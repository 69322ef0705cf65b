import { MAX_BODY_BYTES, MAX_JOURNAL_BYTES } from '@baton/protocol';
import type { BullmqQueues } from '../queues/bullmq-queues.ts';
import type { CallJob } from '../queues/call-job.ts';
import type { ResumeJob } from '../queues/resume-job.ts';
import { FIELD } from '../records/task-record.ts';
import { WorkerRegistry } from '../queues/worker-registry.ts';
import { type Keyspace, type ShardKeys, taskIdFromRef, taskRef } from '../records/keys.ts';
import type { Connection } from '../redis/connection.ts';
import { DEQUEUE, BEGIN_SEGMENTS } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { FencedSegment } from '../tasks/fenced-segment.ts';
import { scanTaskFields } from '../tasks/scan-task-fields.ts';
import { removeDeletedTenant } from './tenant-deletion.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { type ExpiredTask, sweepDueTasks } from './due-task-sweep.ts';
import { beginCall, type CallStart } from './provider-calls.ts';
import { requeueLostJobs } from './lost-jobs.ts';

/** A job's batch has at most so many tasks; once those loaded are so large in all, in bytes, no more are loaded. */
const BATCH_SIZE = 16;
const BATCH_BYTES = 4_194_304;

/** Whoever loads a task sees all of it. */
const WORKER = { principal: '', scopes: ' agent ' };

/** A journal over its limit is not read to its end: its task fails for its size. The input is read with it. */
const MAX_READ_BYTES = MAX_JOURNAL_BYTES + MAX_BODY_BYTES;

/** The tasks that a job has to run; those of the batch that are not loaded yet are named by id. */
export type TaskBatch =
  | {
      readonly kind: 'taken';
      readonly segments: readonly FencedSegment[];
      readonly notLoaded: readonly string[];
      /** How long the first of them was ready, in milliseconds; undefined of none, and of those that waited for a program. */
      readonly waitedMs?: number;
    }
  /** An earlier run of the same job took them and did not finish; the task with the fewest tries comes first. */
  | { readonly kind: 'retried'; readonly notLoaded: readonly string[] }
  /** The list has tasks, and the worker has the program of none of them. */
  | { readonly kind: 'no_program' };

/** What a script loaded of a task (fence, tries, whole, fields), or why it did not: see begin_segment.lua. */
type LoadedReply = readonly (string | number)[] | string | false;

/** A shard for workers: its jobs, its deadlines and its workers. Crosses tenants, so only the worker may open it. */
export class WorkerShard {
  readonly index: number;
  readonly workers: WorkerRegistry;
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;
  private readonly keys: ShardKeys;
  private readonly queues: BullmqQueues;
  private readonly contextOf: (tenant: string) => TenantContext;

  constructor(
    index: number,
    connection: Connection,
    keyspace: Keyspace,
    queues: BullmqQueues,
    contextOf: (tenant: string) => TenantContext,
  ) {
    this.index = index;
    this.connection = connection;
    this.keyspace = keyspace;
    this.keys = keyspace.shard(index);
    this.queues = queues;
    this.contextOf = contextOf;
    this.workers = new WorkerRegistry(connection, this.keys);
  }

  /**
   * Takes the batch of a job, for a worker that has `programs` (`"<name> <version>"`). With `fresh` false, only what an
   * earlier run of the job left of its batch.
   */
  async dequeue(
    { tenant, list, number, tasks }: ResumeJob,
    programs: readonly string[],
    { limit = BATCH_SIZE, fresh = true }: { limit?: number; fresh?: boolean } = {},
  ): Promise<TaskBatch> {
    const context = this.contextOf(tenant);
    const { keys } = context;
    const held = list === 'held' ? programs : [];
    const reply = await runScript(
      context,
      DEQUEUE,
      {},
      {
        topic: keys.pendingTopic,
        list,
        number,
        limit,
        fresh: fresh ? 1 : 0,
        bytes: BATCH_BYTES,
        programs: held.length,
      },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: [...held, ...tasks.map(taskRef)] },
    );
    const [kind, nextJob = '', text = '[]', revision, waited = '', ...refs] = reply.map(String);
    context.addJob(nextJob);
    if (kind === 'lacking') return { kind: 'no_program' };
    const taken = refs.map(taskIdFromRef);
    if (kind === 'again') return { kind: 'retried', notLoaded: await this.sortByTries(context, taken) };
    const loaded = JSON.parse(text) as LoadedReply[];
    const segments: FencedSegment[] = [];
    const notLoaded: string[] = [];
    for (const [at, taskId] of taken.entries()) {
      const reply = loaded[at];
      if (Array.isArray(reply))
        segments.push(new FencedSegment(context, taskId, number, reply, Number(revision)));
      else notLoaded.push(taskId);
    }
    return { kind: 'taken', segments, notLoaded, ...(waited !== '' && { waitedMs: Number(waited) }) };
  }

  /** Loads tasks of a job's batch up to BATCH_BYTES; `notLoaded` are the rest. Tasks that have ended are left out. */
  async load(
    tenant: string,
    number: number,
    tasks: readonly string[],
  ): Promise<{ segments: FencedSegment[]; notLoaded: string[] }> {
    if (tasks.length === 0) return { segments: [], notLoaded: [] };
    const context = this.contextOf(tenant);
    const { keys } = context;
    const [nextJob, text, revision] = await runScript(
      context,
      BEGIN_SEGMENTS,
      {},
      { topic: keys.pendingTopic, number, bytes: BATCH_BYTES },
      { keys: tasks.map((taskId) => keys.task(taskId)), args: tasks.map(taskRef) },
    );
    context.addJob(String(nextJob));
    const loaded = JSON.parse(String(text)) as LoadedReply[];
    const segments: FencedSegment[] = [];
    const notLoaded: string[] = [];
    for (const [at, taskId] of tasks.entries()) {
      const reply = loaded[at];
      if (Array.isArray(reply))
        segments.push(await this.segment(context, taskId, number, reply, Number(revision)));
      else if (reply === '') notLoaded.push(taskId);
    }
    return { segments, notLoaded };
  }

  /** A begun segment, with the rest of a task that is too large to be read by the script that began it. */
  private async segment(
    context: TenantContext,
    taskId: string,
    job: number,
    reply: readonly (string | number)[],
    agentRevision: number,
  ): Promise<FencedSegment> {
    if (reply[2] === 1) return new FencedSegment(context, taskId, job, reply, agentRevision);
    const rest = await scanTaskFields(
      this.connection,
      context.keys.task(taskId),
      taskId,
      WORKER,
      MAX_READ_BYTES,
    );
    // Last: what was read with the fence must not be newer than it.
    const whole = [...reply.slice(0, 3), ...[...rest].flat(), ...reply.slice(3)];
    return new FencedSegment(context, taskId, job, whole, agentRevision);
  }

  /** Loads one task again, with a new fence; undefined when it has ended, or is not in the job's batch any more. */
  async reload({ tenant, taskId, job }: FencedSegment): Promise<FencedSegment | undefined> {
    return (await this.load(tenant, job, [taskId])).segments[0];
  }

  /** Otherwise a task that kills its worker would, at each retry, keep those behind it from being run. */
  private async sortByTries({ keys }: TenantContext, tasks: readonly string[]): Promise<string[]> {
    const tries = await this.connection.command((client) =>
      Promise.all(tasks.map((taskId) => client.hget(keys.task(taskId), FIELD.tries))),
    );
    const all = tasks.map((taskId, at) => ({ taskId, tries: Number(tries[at] ?? 0) }));
    return all.sort((a, b) => a.tries - b.tries).map(({ taskId }) => taskId);
  }

  /**
   * Expires what is due (deadlines and sleeps), until nothing is; tells of each task that ended by its own deadline. Returns the tenants
   * whose deletion was cut off, for `removeDeletedTenant`.
   */
  async sweepDueTasks(onExpired: (task: ExpiredTask) => void = () => {}): Promise<string[]> {
    return sweepDueTasks(this.connection, this.keys, this.contextOf, onExpired);
  }

  /** Goes on with a deletion that was cut off. It takes as long as a SCAN over all keys. Errors: `unavailable`. */
  async removeDeletedTenant(tenant: string): Promise<void> {
    await removeDeletedTenant(this.keyspace, this.contextOf(tenant));
  }

  /** Makes the tasks of lost jobs ready again, and adds a job for each list that has none. */
  async requeueLostJobs(): Promise<void> {
    await requeueLostJobs(this.connection, this.index, this.keys, this.queues, this.contextOf);
  }

  /** Begins the call to an LLM endpoint that a job is for. */
  async beginCall(job: CallJob): Promise<CallStart> {
    return beginCall(this.contextOf(job.tenant), job);
  }
}
