import { type AnswerCheck, type Programs, resumeTask, type SegmentEnd } from '@baton/runner';
import {
  type Batch,
  DelayedError,
  holdsLock,
  type Job,
  parseResumeJob,
  type ResumeJob,
  type RunJob,
  type Segment,
  type Shard,
  UnrecoverableError,
} from '@baton/store/shards';
import type { Logger } from 'pino';

/** A job that this worker cannot run for want of its programs is there for others after so long. */
const LACKING_MS = 100;

/** Redis takes nothing now, say because it is full: the job comes back after so long. */
const REFUSED_MS = 3_000;

/** A job that runs for so long says which tasks it runs; before, it would cost more than it tells. */
const LONG_MS = 500;

export interface Resuming {
  readonly programs: Programs;
  readonly check: AnswerCheck;
  readonly log: Logger;
  /** Hears of each batch, with how its tasks have ended. */
  readonly ran: (ends: readonly SegmentEnd[]) => void;
}

/** How one task of a batch has ended. */
interface Ended {
  readonly taskId: string;
  readonly end: SegmentEnd;
}

/**
 * Runs a job of the queue `resume` or `held`: takes its batch and runs the tasks side by side until each has parked,
 * settled or gone back. What an earlier run of the job left is run one by one, the least tried first, so that a task that kills its
 * worker takes no other with it more than once.
 * What may pass fails the job, and BullMQ runs it again after a pause with what is left of its batch. `standBack` is called
 * when this worker has the program of nothing in the list, so that it does not take the job again itself.
 */
export function resumeJobs(shard: Shard, resuming: Resuming, standBack: () => void = () => {}): RunJob {
  return async (job, final, token) => {
    const data = readJob(job);
    const batch = await shard.dequeue(data, resuming.programs.names);
    if (batch.kind === 'lacking') {
      standBack();
      return comeBack(job, token, LACKING_MS);
    }
    const ended = await runBatch(shard, { job, data, final }, batch, resuming);
    if (ended.some(({ end }) => end.kind === 'stale') && (await holdsLock(job, token))) {
      // A reply was lost on its way: what is still in the batch is ours to run.
      const left = await shard.dequeue(data, resuming.programs.names, { fresh: false });
      ended.push(...(await runBatch(shard, { job, data, final }, left, resuming)));
    }
    resuming.ran(ended.map(({ end }) => end));
    return conclude(job, token, ended);
  };
}

/** A job under way. */
interface Running {
  readonly job: Job;
  readonly data: ResumeJob;
  /** BullMQ will not run it again, should it fail. */
  readonly final: boolean;
}

function readJob(job: Job): ResumeJob {
  try {
    return parseResumeJob(job.data);
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
  }
}

async function runBatch(
  shard: Shard,
  running: Running,
  batch: Batch,
  { programs, check, log }: Resuming,
): Promise<Ended[]> {
  if (batch.kind === 'lacking') return [];
  const { tenant, number } = running.data;
  const ended: Ended[] = [];
  // Each task by itself: one's failure is never another's, and is thrown when all have ended.
  const failures: unknown[] = [];
  const run = async (segment: Segment) => {
    const warn = (event: string, facts: object) => log.warn(facts, event);
    try {
      const end = await resumeTask(programs, check, shard, segment, running.final, warn);
      ended.push({ taskId: segment.taskId, end });
    } catch (error) {
      failures.push(error);
    }
  };
  if (batch.kind === 'again') {
    await noteTasks(running, batch.unloaded);
    for (const taskId of batch.unloaded) {
      const { segments } = await shard.load(tenant, number, [taskId]);
      for (const segment of segments) await run(segment);
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  }
  const tasks = [...batch.segments.map(({ taskId }) => taskId), ...batch.unloaded];
  const long = setTimeout(() => void noteTasks(running, tasks), LONG_MS);
  const runs = batch.segments.map(run);
  try {
    for (let { unloaded } = batch; unloaded.length > 0; ) {
      const loaded = await shard.load(tenant, number, unloaded);
      unloaded = loaded.unloaded;
      runs.push(...loaded.segments.map(run));
      if (unloaded.length > 0) await Promise.all(runs);
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(runs);
  clearTimeout(long);
  if (failures.length === 0) return ended;
  await noteTasks(running, tasks);
  throw failures[0];
}

/** Has the job say which tasks it runs, for operators who look at one that takes long, or has failed. */
async function noteTasks({ job, data }: Running, tasks: readonly string[]): Promise<void> {
  if (tasks.join() === data.tasks.join()) return;
  await job.updateData({ ...data, tasks: [...tasks] }).catch(() => {});
}

/** Has BullMQ run the job again after a pause, which is no attempt. */
async function comeBack(job: Job, token: string, pause: number): Promise<never> {
  await job.moveToDelayed(Date.now() + pause, token);
  throw new DelayedError();
}

/** What BullMQ is to make of the job: it is done, comes back after a pause, or stands among the failed with its reason. */
async function conclude(job: Job, token: string, ended: readonly Ended[]): Promise<void> {
  const of = (kind: SegmentEnd['kind']) => ended.filter(({ end }) => end.kind === kind);
  if (of('refused').length > 0) return comeBack(job, token, REFUSED_MS);
  const retry = of('retry');
  if (retry.length > 0) throw new Error(reasonOf(retry));
  const broken = of('broken');
  if (broken.length > 0) throw new UnrecoverableError(reasonOf(broken));
}

/** Codes and task ids: a message may quote what the task is about. */
function reasonOf(ended: readonly Ended[]): string {
  return ended
    .map(({ taskId, end }) => `task ${taskId}: ${'error' in end ? end.error.code : end.kind}`)
    .join('; ');
}
