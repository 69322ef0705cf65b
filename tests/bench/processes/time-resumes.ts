import { CallerSchemaValidator, Programs, resumeTask } from '@baton/runner';
import { Store } from '@baton/store';
import { createWorkerShards } from '@baton/store/shards';
import { median } from '../../harness/statistics.ts';
import { type Endpoint, callToolForContent, createProject, answerWithSubtasks } from './project-calls.ts';
import { sendToParent } from './parent-process.ts';
import { closeConnections } from './minimal-http-client.ts';

/**
 * Times single resumes, from the job to the written next request: it dequeues by itself, so no worker may run.
 * `time-resumes <redis> <url> <key>` reports the medians of an `expand_all` with few finished branches and of one with many.
 */
const [redisUrl = '', url = '', key = ''] = process.argv.slice(2);
const tenant = key.split('_')[1] ?? '';
const at: Endpoint = { url, key };
const FEW = 5;
const MANY = 500;
const TASKS = 600;
const TIMES = 15;

const store = await Store.open({ url: redisUrl, secret: 'a secret of the bench', replica: 'resumes' });
const shards = createWorkerShards(store);
const programs = new Programs();
const check = new CallerSchemaValidator();

interface Resumed {
  readonly ms: number;
  readonly entries: number;
}

let jobs = 0;

/** Answers one of a task's open requests and resumes the task. */
async function resumeOnce(taskId: string): Promise<Resumed> {
  const { pending } = await callToolForContent<{ pending: { interactionId: string } }>(at, 'task_status', {
    taskId,
  });
  await answerWithSubtasks(at, pending.interactionId, 0);
  const begun = performance.now();
  for (const shard of shards) {
    // The job that a worker would run.
    const job = { tenant, list: 'ready' as const, number: ++jobs, tasks: [taskId] };
    const batch = await shard.dequeue(job, programs.names);
    const [segment] = batch.kind === 'taken' ? batch.segments : [];
    if (segment === undefined) continue;
    const end = await resumeTask(programs, check, shard, segment, true, (event, facts) =>
      console.error(event, facts),
    );
    if (end.kind !== 'parked') throw new Error(`the resume has ${end.kind}`);
    return { ms: performance.now() - begun, entries: segment.task.journal.size };
  }
  throw new Error('nothing is ready');
}

async function startWithFinishedBranches(projectRoot: string, behind: number): Promise<string> {
  await createProject(at, projectRoot, TASKS);
  const { taskId } = await callToolForContent<{ taskId: string }>(at, 'expand_all', { projectRoot });
  for (let n = 0; n < behind; n++) await resumeOnce(taskId);
  return taskId;
}

// The task with many branches warms up for the others.
const late = await startWithFinishedBranches('late', MANY);
const [few, many]: [Resumed[], Resumed[]] = [[], []];
// Interleaved, so that other load on the machine affects both.
for (let n = 0; n < TIMES; n++) {
  few.push(await resumeOnce(await startWithFinishedBranches(`early-${n}`, FEW)));
  many.push(await resumeOnce(late));
}
const medianOf = (resumed: readonly Resumed[]) => median(resumed.map(({ ms }) => ms));
sendToParent({
  resumes: [few, many].map((each) => ({ ms: medianOf(each), entries: each[0]?.entries ?? 0 })),
});
closeConnections();
await check.close();
await store.close();
