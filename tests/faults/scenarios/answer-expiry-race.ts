import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@baton/store';
import { createWorkerShards, taskRef } from '@baton/store/shards';
import { Redis } from 'ioredis';
import type { Scenario } from '../testbed/scenario.ts';
import { SECRET } from '../../processes/process-settings.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

const RACES = 300;
const LANES = 20;

interface Race {
  readonly taskId: string;
  readonly due: number;
  readonly said: string;
}

/** An answer that comes in the millisecond in which its interaction expires: one of the two happens, and all agree which. */
export const answerExpiryRace: Scenario = {
  name: 'answer-expiry-race',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
    const store = await Store.open({ url: testbed.redisUrl, secret: SECRET, replica: 'sweeper' });
    const sweeper = sweepContinuously(store);
    try {
      const { url } = await testbed.startProcess('gateway', { BATON_INTERACTION_TTL_MS: '1000' });
      await testbed.startProcess('worker');
      const key = await testbed.createTenant(url, 'acme');
      const aim = new AnswerTiming();
      const lanes = Array.from({ length: LANES }, (_, lane) => lane * (RACES / LANES));
      const races = await Promise.all(
        lanes.map(async (first) => {
          const run: Race[] = [];
          await delay((first * 1_000) / RACES);
          for (let n = first; n < first + RACES / LANES; n++) run.push(await runRace(url, key, n, aim));
          return run;
        }),
      ).then((all) => all.flat());
      const settled = holdsWithin(
        async () => (await redis.zcard('baton:{s0}:t:acme:deadlines')) === 0,
        10_000,
      );
      report.check(await settled, 'every task has ended');
      const ends = await Promise.all(races.map((one) => classifyOutcome(url, key, redis, one)));
      const count = (what: string) => ends.filter((end) => end.verdict === what).length;
      const wrong = ends.filter(({ verdict }) => verdict !== 'answered' && verdict !== 'expired');
      report.check(
        wrong.length === 0,
        `in ${RACES} races exactly one side wins, and the confirmation agrees with the task's end`,
        wrong.length === 0 ? `${count('answered')} answered, ${count('expired')} expired` : wrong.slice(0, 3),
      );
      const near = (ms: number) => ends.filter(({ distance }) => distance >= -ms && distance < ms).length;
      report.check(
        count('answered') >= 30 && count('expired') >= 30,
        'each side won at least 30 races',
        `decided within 1 ms of the deadline: ${near(1)}, within 3 ms: ${near(3)}`,
      );
      const left = await Promise.all(
        ['ready', 'held', 'deadlines', 'pending', 'claims'].map((set) =>
          redis.zcard(`baton:{s0}:t:acme:${set}`),
        ),
      );
      const open = await redis.hget('baton:{s0}:t:acme', 'open');
      report.check(
        left.every((size) => size === 0) && open === '0',
        'no index contains any of the tasks',
        left.join(' '),
      );
    } finally {
      await sweeper.stop();
      await store.close();
      redis.disconnect();
      await testbed.stop();
    }
  },
};

/** Workers sweep twice a second; this sweeps continuously, so that deadlines and answers race. */
function sweepContinuously(store: Store): { stop(): Promise<void> } {
  let stopped = false;
  const [shard] = createWorkerShards(store);
  const loop = (async () => {
    while (!stopped) {
      await shard?.sweepDueTasks();
      await delay(1);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await loop;
    },
  };
}

/**
 * Adapts when an answer is posted, so that it arrives about when its interaction expires: earlier after a late one, later
 * after one in time.
 */
class AnswerTiming {
  private lead = 5;

  async until(due: number, n: number): Promise<void> {
    const at = due - this.lead + (n % 5) - 2;
    await delay(Math.max(0, at - Date.now() - 2));
    while (Date.now() < at) await new Promise((resolve) => setImmediate(resolve));
  }

  learn(inTime: boolean): void {
    this.lead = Math.max(0, this.lead + (inTime ? -1 : 1));
  }
}

/** Parks a call and answers it about when its interaction expires. */
async function runRace(url: string, key: string, n: number, aim: AnswerTiming): Promise<Race> {
  const { content } = await tryCallTool(url, key, 'bench_echo', { text: `race ${n}` });
  const due = Date.parse(content.expiresAt);
  await aim.until(due, n);
  const { content: taken, error } = await answerInteraction(url, key, content.interactionId, `v${n}`, 0);
  aim.learn(taken !== undefined);
  return { taskId: content.taskId, due, said: taken ? `v${n}` : error.code };
}

/** The outcome of a race by the task's status and its stored record. */
async function classifyOutcome(url: string, key: string, redis: Redis, { taskId, due, said }: Race) {
  const { content: task } = await tryCallTool(url, key, 'task_status', { taskId, waitMs: 5_000 });
  const ref = taskRef(taskId);
  const [answered, expired] = await redis.hmget(`baton:{s0}:t:acme:task:${ref}`, 'g1', 'x1');
  const at = Number((answered ?? expired)?.split(';')[1]);
  const seen = {
    said,
    status: task?.status,
    end: task?.result?.value ?? task?.error?.code,
    answered,
    expired,
  };
  const one = (answered === null) !== (expired === null);
  let verdict = JSON.stringify(seen);
  if (one && answered && seen.end === said && task.status === 'completed' && at < due) verdict = 'answered';
  if (one && expired && seen.end === 'interaction_expired' && said === 'interaction_expired' && at >= due) {
    verdict = 'expired';
  }
  return { verdict, distance: at - due };
}
