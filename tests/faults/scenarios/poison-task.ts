import { Redis } from 'ioredis';
import type { Scenario } from '../testbed/scenario.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

/** A task that throws in the worker fails with its reason, and never affects other tasks of its batch. */
export const poisonTask: Scenario = {
  name: 'poison-task',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    try {
      const { url } = await testbed.startProcess('gateway');
      const worker = await testbed.startProcess('worker');
      const key = await testbed.createTenant(url, 'acme');
      const opened = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const name = n % 2 === 0 ? 'bench_poison' : 'bench_echo';
          return { name, parked: (await tryCallTool(url, key, name, { text: `no. ${n}` })).content };
        }),
      );
      const ends = await Promise.all(
        opened.map(async ({ name, parked }) => {
          const reply = await answerInteraction(url, key, parked.interactionId, 'v');
          return { name, outcome: reply.content?.outcome };
        }),
      );
      const poisoned = ends.filter(({ name }) => name === 'bench_poison');
      const named = poisoned.filter(
        ({ outcome }) =>
          outcome?.status === 'failed' && /bench_poison is broken on purpose/.test(outcome.error?.message),
      );
      report.check(named.length === 20, 'each fails with its reason', poisoned[0]?.outcome);
      const healthy = ends.filter(
        ({ name, outcome }) => name === 'bench_echo' && outcome?.status === 'completed',
      );
      report.check(
        healthy.length === 20,
        'other tasks of the same batches complete',
        `${healthy.length} of 20`,
      );
      const again = await answerInteraction(url, key, opened[0]?.parked.interactionId, 'v');
      report.check(
        again.content?.replayed === true && again.content.outcome.status === 'failed',
        'a repeated answer is confirmed as replayed',
      );
      await checkNothingLeft(testbed, report.check.bind(report));
      report.check(worker.child.exitCode === null, 'the worker never exited');
    } finally {
      await testbed.stop();
    }
  },
};

/** Afterwards nothing is ready, held or due, and BullMQ holds no job of the queue `resume`. */
async function checkNothingLeft(
  testbed: Testbed,
  check: (holds: boolean, what: string, figures?: unknown) => void,
) {
  const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
  const sets = ['ready', 'held', 'deadlines'];
  const sizes = await Promise.all(sets.map((set) => redis.zcard(`baton:{s0}:t:acme:${set}`)));
  const { next: _, ...jobsLeft } = await redis.hgetall('baton:{s0}:t:acme:jobs');
  sizes.push(Object.keys(jobsLeft).length);
  const tries = await Promise.all(
    (await redis.keys('baton:{s0}:t:acme:task:*')).map((key) => redis.hget(key, 'tr')),
  );
  check(
    sizes.every((size) => size === 0),
    'nothing is ready, held, due or with a job',
    sizes.join(' '),
  );
  check(
    tries.every((tried) => Number(tried ?? 0) <= 1),
    'no task was started more than once',
    `${tries.length} tasks`,
  );
  let jobs: number[] = [];
  for (let waited = 0; waited < 30; waited++) {
    const bull = 'baton:{s0}:bull:resume';
    jobs = [
      await redis.llen(`${bull}:wait`),
      await redis.llen(`${bull}:active`),
      await redis.zcard(`${bull}:failed`),
      await redis.zcard(`${bull}:delayed`),
    ];
    if (jobs.every((size) => size === 0)) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  check(
    jobs.every((size) => size === 0),
    'no job is left waiting, active, failed or delayed',
    jobs.join(' '),
  );
  redis.disconnect();
}
