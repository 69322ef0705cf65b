import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { ScenarioReport, Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

const TEN_MINUTES = 600_000;
const LIFE_MS = 4_000;

/** Gateway and worker clocks are off by ten minutes, in both directions: Redis's clock decides, so nothing is early or late. */
export const clockSkew: Scenario = {
  name: 'clock-skew',
  async run(report, entry) {
    await Promise.all([
      runWithSkew(report, entry, TEN_MINUTES, -TEN_MINUTES, 'gateway 10 min ahead, worker 10 min behind'),
      runWithSkew(report, entry, -TEN_MINUTES, TEN_MINUTES, 'gateway 10 min behind, worker 10 min ahead'),
    ]);
  },
};

/** Shifts Date in a Node process and its threads; the monotonic clock stays. */
function shiftedClock(ms: number): NodeJS.ProcessEnv {
  const source = `const Real=Date,by=${ms};globalThis.Date=class extends Real{constructor(...a){a.length?super(...a):super(Real.now()+by)}static now(){return Real.now()+by}};`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(source)}` };
}

async function runWithSkew(
  report: ScenarioReport,
  entry: string,
  gatewayBy: number,
  workerBy: number,
  how: string,
): Promise<void> {
  const testbed = await Testbed.start(entry);
  const check = (holds: boolean, what: string, figures: unknown = '') =>
    report.check(holds, `${how}: ${what}`, figures);
  const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
  try {
    const ttl = { BATON_INTERACTION_TTL_MS: String(LIFE_MS), BATON_REPLICA: 'skewed' };
    const [{ url }, worker] = await Promise.all([
      testbed.startProcess('gateway', { ...shiftedClock(gatewayBy), ...ttl }),
      testbed.startProcess('worker', shiftedClock(workerBy)),
    ]);
    const said = JSON.parse(worker.output.find((line) => line.includes('"working"')) ?? '{}').time;
    check(
      Math.abs(new Date(said).getTime() - Date.now() - workerBy) < 60_000,
      "the worker's clock is shifted",
      said,
    );
    const key = await testbed.createTenant(url, 'acme');
    const standing = async (taskId: string) =>
      (await tryCallTool(url, key, 'task_status', { taskId })).content;

    const parked = (await tryCallTool(url, key, 'bench_echo', { text: 'in time' })).content;
    const shown = Date.parse(parked.expiresAt) - Date.now();
    check(Math.abs(shown - LIFE_MS) < 1_500, 'the directive shows the true deadline', `in ${shown} ms`);
    const { outcome } = (await answerInteraction(url, key, parked.interactionId, 'v')).content;
    check(outcome.status === 'completed', 'an answer before the deadline is accepted and its task completes');
    const task = await standing(parked.taskId);
    const off = ['createdAt', 'lastUpdatedAt'].map((field) => Math.abs(Date.parse(task[field]) - Date.now()));
    check(
      off.every((ms) => ms < 30_000),
      'task_status shows true times',
      off.join(' '),
    );

    const late = (await tryCallTool(url, key, 'bench_echo', { text: 'too late' })).content;
    await delay(LIFE_MS - 1_500);
    check((await standing(late.taskId)).status === 'input_required', 'an interaction never expires early');
    const ended = async () => (await standing(late.taskId)).status === 'failed';
    const expired = await holdsWithin(ended, 10_000, 50);
    const after = Date.now() - Date.parse(late.expiresAt);
    check(
      expired && after >= 0 && after < 5_000,
      'an interaction expires at its deadline',
      `${after} ms after`,
    );

    const slept = performance.now();
    const sleeper = (await tryCallTool(url, key, 'bench_sleep', { ms: 1_000 })).content;
    const awake = await holdsWithin(
      async () => (await standing(sleeper.taskId)).status === 'input_required',
      10_000,
      50,
    );
    const sleep = performance.now() - slept;
    check(awake && sleep >= 1_000 && sleep < 6_000, 'a sleep of 1 s lasts 1 s', `${Math.round(sleep)} ms`);

    await checkWorkerLiveness(redis, url, key, check);
    await checkProjectTimes(url, key, check);
    await checkKeyExpiry(testbed, url, check);
    if (workerBy < 0) await checkDeadFastWorker(testbed, redis, check, { url, key });
  } finally {
    redis.disconnect();
    await testbed.stop();
  }
}

type Check = (holds: boolean, what: string, figures?: unknown) => void;

/** A worker with a wrong clock is believed until a few seconds from now, and ends what it took. */
async function checkWorkerLiveness(redis: Redis, url: string, key: string, check: Check): Promise<void> {
  const parked = (await tryCallTool(url, key, 'bench_echo', { text: 'taken' })).content;
  const workers = await redis.zrange('baton:{s0}:workers', '0', '-1', 'WITHSCORES');
  const ahead = Number(workers[1] ?? 0) - Date.now();
  check(ahead > -5_000 && ahead < 10_000, 'a worker is believed until a few seconds from now', `${ahead} ms`);
  const { outcome } = (await answerInteraction(url, key, parked.interactionId, 'v')).content;
  const { ready: _, held: _also, next: _last, ...batches } = await redis.hgetall('baton:{s0}:t:acme:jobs');
  check(outcome.status === 'completed' && Object.keys(batches).length === 0, 'no batch is left behind');
}

/** By `startedAt` others decide whether a task is given out again. */
async function checkProjectTimes(url: string, key: string, check: Check): Promise<void> {
  await tryCallTool(url, key, 'add_task', { title: 'Timed', description: 'x', projectRoot: 'timed' });
  const { task } = (await tryCallTool(url, key, 'start_next_task', { projectRoot: 'timed' })).content;
  const off = Date.parse(task?.startedAt) - Date.now();
  check(Math.abs(off) < 30_000, 'a task that is started has the true time', `${off} ms`);
}

/** A worker whose clock is ahead schedules the next sweep by it; when it dies, those that are left sweep on. */
async function checkDeadFastWorker(
  testbed: Testbed,
  redis: Redis,
  check: Check,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<void> {
  const fast = await testbed.startProcess('worker', shiftedClock(TEN_MINUTES));
  const sweeps = async () => {
    const [, next] = await redis.zrange('baton:{s0}:bull:deadlines:delayed', '0', '-1', 'WITHSCORES');
    // BullMQ's score has the time above its 12 lowest bits.
    return Number(next ?? 0) / 4_096 - Date.now() > TEN_MINUTES / 2;
  };
  check(await holdsWithin(sweeps, 20_000, 5), 'the worker ahead schedules the next sweep');
  await fast.stop('SIGKILL');
  const { taskId } = (await tryCallTool(url, key, 'bench_echo', { text: 'swept' })).content;
  const ended = async () =>
    (await tryCallTool(url, key, 'task_status', { taskId })).content.status === 'failed';
  check(
    await holdsWithin(ended, LIFE_MS + 10_000, 50),
    'a deadline ends after a worker ahead has been killed',
  );
}

/** A key that ends in a few seconds works until then, and no longer. */
async function checkKeyExpiry(testbed: Testbed, url: string, check: Check): Promise<void> {
  const ends = Date.now() + 4_000;
  const brief = await testbed.createKey(url, 'acme', new Date(ends).toISOString());
  const status = async () => (await tryCallTool(url, brief, 'get_tasks', {})).status;
  check((await status()) !== 401, 'a key that has not ended is taken');
  await delay(ends - Date.now() - 700);
  const before = await status();
  const early = Date.now() < ends && before === 401;
  check(!early, 'it is taken until its end');
  await delay(Math.max(0, ends - Date.now()) + 100);
  check((await status()) === 401, 'it is refused from its end on');
}
