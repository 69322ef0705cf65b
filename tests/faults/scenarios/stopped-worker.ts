import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Scenario, ScenarioReport } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

const STOPPED_MS = 7_000;
const EVERY_MS = 250;
/** Tasks of a killed or stopped worker must continue elsewhere within this time. */
const WITHIN_MS = 5_000;

/** One of two workers is stopped for 7 s, then one is killed: its tasks continue on the other, and new ones never wait for it. */
export const stoppedWorker: Scenario = {
  name: 'stopped-worker',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
    try {
      const { url } = await testbed.startProcess('gateway');
      const workers = [await testbed.startProcess('worker'), await testbed.startProcess('worker')] as const;
      const key = await testbed.createTenant(url, 'acme');
      const trip = async () => {
        const parked = (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).content;
        const begun = performance.now();
        const reply = await answerInteraction(url, key, parked.interactionId, 'v', 25_000);
        return {
          ms: performance.now() - begun,
          status: reply.content?.outcome?.status,
          taskId: parked.taskId,
        };
      };
      for (let n = 0; n < 10; n++) await trip();
      for (const worker of workers) {
        worker.child.kill('SIGSTOP');
        const trips: ReturnType<typeof trip>[] = [];
        for (let n = 0; n * EVERY_MS < STOPPED_MS; n++) {
          trips.push(trip());
          await delay(EVERY_MS);
        }
        worker.child.kill('SIGCONT');
        const ended = await Promise.all(trips);
        const waited = ended.map(({ ms }) => Math.round(ms)).sort((a, b) => b - a);
        report.check(
          ended.every(({ status }) => status === 'completed') && (waited[0] ?? 0) < WITHIN_MS,
          `an answer that comes while a worker is stopped for ${STOPPED_MS / 1_000} s waits less than ${WITHIN_MS / 1_000} s`,
          `the longest: ${waited.slice(0, 5).join(', ')} ms`,
        );
        report.check(
          waited.filter((ms) => ms > 1_500).length <= 2,
          'at most two answers wait at all',
          `${waited.filter((ms) => ms > 1_500).length} of ${waited.length} over 1.5 s`,
        );
        // Both workers must be waiting for jobs again.
        await delay(2_000);
      }
      await checkBatchesMove(report, { url, key, redis, workers });
      const fences = await Promise.all(
        (await redis.keys('baton:{s0}:t:acme:task:*')).map((task) => redis.hmget(task, 'st', 'ev')),
      );
      report.check(
        fences.every(([status, events]) => status === 'completed' && events === '1'),
        'no answer was processed twice, and no task is left',
        `${fences.length} tasks`,
      );
    } finally {
      redis.disconnect();
      await testbed.stop();
    }
  },
};

interface RunningDeployment {
  readonly url: string;
  readonly key: string;
  readonly redis: Redis;
  readonly workers: readonly [
    Awaited<ReturnType<Testbed['startProcess']>>,
    Awaited<ReturnType<Testbed['startProcess']>>,
  ];
}

/** Stops a worker, then kills one, while it has whole batches. */
async function checkBatchesMove(
  report: Pick<ScenarioReport, 'check'>,
  { url, key, redis, workers }: RunningDeployment,
): Promise<void> {
  const batches = async () => {
    const { ready: _, held: _also, next: _last, ...taken } = await redis.hgetall('baton:{s0}:t:acme:jobs');
    return Object.values(taken).flatMap((refs) => refs.split(' ')).length;
  };
  for (const how of ['SIGSTOP', 'SIGKILL'] as const) {
    const [victim, other] = workers;
    let caught = 0;
    let begun = 0;
    const outcomes: Promise<unknown>[] = [];
    for (let round = 0; round < 40 && caught === 0; round++) {
      other.child.kill('SIGSTOP');
      const parked = await Promise.all(
        Array.from({ length: 40 }, () => tryCallTool(url, key, 'bench_echo', { text: 'batch' })),
      );
      outcomes.push(
        ...parked.map(({ content }) => answerInteraction(url, key, content.interactionId, 'v', 25_000)),
      );
      await delay(5 + round);
      victim.child.kill('SIGSTOP');
      begun = performance.now();
      // Redis still carries out what the worker has sent.
      await delay(50);
      caught = await batches();
      if (caught === 0) victim.child.kill('SIGCONT');
      other.child.kill('SIGCONT');
      // Otherwise the other worker could be stopped with a batch of its own.
      if (caught === 0) await Promise.all(outcomes);
    }
    if (how === 'SIGKILL') victim.child.kill('SIGKILL');
    const all = Promise.all(outcomes).then(() => performance.now() - begun);
    const took = await Promise.race([all, delay(20_000, Infinity)]);
    report.check(
      caught > 0 && took < WITHIN_MS,
      `the batches of a worker that gets ${how} continue elsewhere within ${WITHIN_MS / 1_000} s`,
      `${caught} tasks were in its batches, the last ended ${Math.round(took)} ms later`,
    );
    if (how === 'SIGSTOP') victim.child.kill('SIGCONT');
    await holdsWithin(async () => (await batches()) === 0, 5_000);
  }
}
