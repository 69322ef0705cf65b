import { type CallerSchemaValidator, type Programs, resumeTask, type SegmentEnd } from '@baton/runner';
import {
  type TaskBatch,
  DelayedError,
  extendJobLock,
  type Job,
  parseResumeJob,
  type ResumeJob,
  type JobProcessor,
  type FencedSegment,
  type WorkerShard,
  UnrecoverableError,
} from '@baton/store/shards';
import { parseTraceparent, type Tracer } from '@baton/tracing';
import type { Logger } from 'pino';
import { recordSegment } from './segment-span.ts';

/** How long a job waits whose programs this worker lacks, in milliseconds. */
const MISSING_PROGRAM_DELAY_MS = 100;

/** How long a job waits while Redis rejects writes (it is full, say), in milliseconds. */
const REDIS_REFUSED_DELAY_MS = 3_000;

/** A job that runs for so long records its task ids for operators; recording them at once would cost a call each. */
const LONG_JOB_MS = 500;

export interface ResumeDependencies {
  readonly programs: Programs;
  readonly check: CallerSchemaValidator;
  readonly log: Logger;
  readonly tracer: Tracer | undefined;
  /** Called after each batch with how its tasks ended. */
  readonly onBatch: (ends: readonly SegmentEnd[]) => void;
  /** Called with how long the first task of a batch was ready, in milliseconds. */
  readonly onLag: (ms: number) => void;
  /** Called when this worker has the program of no task in the list. */
  readonly onMissingPrograms?: () => void;
}

/**
 * BullMQ's processor of the queues `resume` and `held`: takes the job's batch and runs its tasks side by side until each
 * has parked, ended or been returned. A job that runs again runs the rest of its batch one task after the other, the least
 * tried first, so that a task that kills its worker takes no other with it twice. What another run may mend fails the job,
 * and BullMQ retries it with what is left of the batch.
 */
export function createResumeProcessor(shard: WorkerShard, dependencies: ResumeDependencies): JobProcessor {
  const { programs, onBatch, onMissingPrograms } = dependencies;
  return async (job, final, token) => {
    const running = { job, data: parseJob(job), final };
    const batch = await shard.dequeue(running.data, programs.names);
    if (batch.kind === 'no_program') {
      onMissingPrograms?.();
      return delayJob(job, token, MISSING_PROGRAM_DELAY_MS);
    }
    noteLag(batch, dependencies);
    const ends = await runBatch(shard, running, batch, dependencies);
    if (ends.some(({ end }) => end.kind === 'stale') && (await extendJobLock(job, token))) {
      // The reply of a script was lost: the job is still ours, and so is what its batch still holds.
      const rest = await shard.dequeue(running.data, programs.names, { fresh: false });
      if (rest.kind !== 'no_program') ends.push(...(await runBatch(shard, running, rest, dependencies)));
    }
    onBatch(ends.map(({ end }) => end));
    return finishJob(job, token, ends);
  };
}

function noteLag(batch: TaskBatch, { onLag }: ResumeDependencies): void {
  if (batch.kind === 'taken' && batch.waitedMs !== undefined) onLag(batch.waitedMs);
}

/** A job under way. */
interface RunningJob {
  readonly job: Job;
  readonly data: ResumeJob;
  /** BullMQ will not retry it. */
  readonly final: boolean;
}

/** How one task of a batch ended. */
interface TaskEnd {
  readonly taskId: string;
  readonly end: SegmentEnd;
}

function parseJob(job: Job): ResumeJob {
  try {
    return parseResumeJob(job.data);
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
  }
}

type TakenBatch = Exclude<TaskBatch, { kind: 'no_program' }>;

/** Runs a batch. A task that throws fails no other: the first error is thrown when all have ended. */
async function runBatch(
  shard: WorkerShard,
  running: RunningJob,
  batch: TakenBatch,
  { programs, check, log, tracer }: ResumeDependencies,
): Promise<TaskEnd[]> {
  const ends: TaskEnd[] = [];
  const errors: unknown[] = [];
  const warn = (event: string, facts: object) => log.warn(facts, event);
  const run = async (segment: FencedSegment) => {
    const startTime = Date.now();
    const beganAt = performance.now();
    try {
      const end = await resumeTask(programs, check, shard, segment, running.final, warn);
      logSegment(log, segment, end, performance.now() - beganAt);
      recordSegment(tracer, segment, startTime, end);
      ends.push({ taskId: segment.taskId, end });
      return end;
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  };
  if (batch.kind === 'retried') await runOneByOne(shard, running, batch.notLoaded, run);
  else await runSideBySide(shard, running, batch, run, errors);
  if (errors.length > 0) throw errors[0];
  return ends;
}

/** A line for what a task has come to, in the fields that gateways log. */
function logSegment(log: Logger, { tenant, taskId, task }: FencedSegment, end: SegmentEnd, ms: number): void {
  const { principal, operation, traceparent } = task;
  const trace = parseTraceparent(traceparent)?.traceId;
  const facts = { trace, tenant, principal, operation, taskId };
  const write = (event: 'parked' | 'ended', more: object) =>
    log.info({ event, ...facts, ...more, ms: Math.round(ms) }, event);
  if (end.kind === 'parked') write('parked', {});
  else if (end.kind === 'completed') write('ended', { status: 'completed' });
  else if (end.kind === 'failed') write('ended', { status: 'failed', code: end.code });
  else if (end.kind === 'broken') write('ended', { status: 'failed', code: end.error.code });
}

/** Undefined when it threw. */
type RunTask = (segment: FencedSegment) => Promise<SegmentEnd | undefined>;

async function runOneByOne(shard: WorkerShard, running: RunningJob, tasks: readonly string[], run: RunTask) {
  await recordTaskIds(running, tasks);
  const { tenant, number } = running.data;
  for (const taskId of tasks) {
    const { segments } = await shard.load(tenant, number, [taskId]);
    for (const segment of segments) if ((await run(segment))?.kind === 'postponed') return;
  }
}

async function runSideBySide(
  shard: WorkerShard,
  running: RunningJob,
  { segments, notLoaded }: Extract<TaskBatch, { kind: 'taken' }>,
  run: RunTask,
  errors: unknown[],
): Promise<void> {
  const { tenant, number } = running.data;
  const tasks = [...segments.map(({ taskId }) => taskId), ...notLoaded];
  const long = setTimeout(() => void recordTaskIds(running, tasks), LONG_JOB_MS);
  const runs: Promise<unknown>[] = segments.map(run);
  try {
    for (let rest = notLoaded; rest.length > 0; ) {
      const loaded = await shard.load(tenant, number, rest);
      rest = loaded.notLoaded;
      runs.push(...loaded.segments.map(run));
      if (rest.length > 0) await Promise.all(runs);
    }
  } catch (error) {
    errors.push(error);
  }
  await Promise.all(runs);
  clearTimeout(long);
  if (errors.length > 0) await recordTaskIds(running, tasks);
}

/** Writes the task ids into the job's data, for operators who look at a job that takes long or has failed. */
async function recordTaskIds({ job, data }: RunningJob, tasks: readonly string[]): Promise<void> {
  if (tasks.join() === data.tasks.join()) return;
  await job.updateData({ ...data, tasks: [...tasks] }).catch(() => {});
}

/** Has BullMQ run the job again after `delay` ms; this counts as no attempt. */
async function delayJob(job: Job, token: string, delay: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delay, token);
  throw new DelayedError();
}

/** Ends the job: completed, delayed, failed for a retry, or failed for good, with its reason. */
async function finishJob(job: Job, token: string, ends: readonly TaskEnd[]): Promise<void> {
  const endsOf = (kind: SegmentEnd['kind']) => ends.filter(({ end }) => end.kind === kind);
  const postponed = endsOf('postponed');
  if (postponed.length > 0) return delayJob(job, token, Math.max(...postponed.map(delayOf)));
  const retry = endsOf('retry');
  if (retry.length > 0) throw new Error(failureReason(retry));
  const broken = endsOf('broken');
  if (broken.length > 0) throw new UnrecoverableError(failureReason(broken));
}

/** Until Redis takes writes again, or until the tenant may have its answers checked. */
function delayOf({ end }: TaskEnd): number {
  const isCheck = 'error' in end && end.error.code === 'limit_checks';
  return isCheck ? Number(end.error.details['retryAfterMs']) : REDIS_REFUSED_DELAY_MS;
}

/** Error codes and task ids only: a message may quote a tenant's payload. */
function failureReason(ends: readonly TaskEnd[]): string {
  return ends
    .map(({ taskId, end }) => `task ${taskId}: ${'error' in end ? end.error.code : end.kind}`)
    .join('; ');
}
