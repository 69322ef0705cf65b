import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { tryRequestJson } from '../../harness/http-request.ts';
import type { Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

/**
 * Redis reaches maxmemory under noeviction. While only Baton's reserve is left, new work is refused by name and accepted
 * work completes; when others fill the reserve too, accepted work waits. Both continue when there is memory, nothing is lost.
 */
export const redisMemoryFull: Scenario = {
  name: 'redis-memory-full',
  async run(report, entry) {
    const testbed = await Testbed.start(entry, ['--maxmemory', '96mb']);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
    try {
      const gateway = await testbed.startProcess('gateway');
      const brief = await testbed.startProcess('gateway', { BATON_INTERACTION_TTL_MS: '3000' });
      const { url } = gateway;
      const key = await testbed.createTenant(url, 'acme');
      const park = async (at = url) =>
        (await tryCallTool(at, key, 'bench_echo', { text: 'something' })).content;
      const standing = async (taskId: string) =>
        (await tryCallTool(url, key, 'task_status', { taskId })).content;

      // Without a worker, what is accepted now is still ready when Redis is full.
      const accepted = await Promise.all(Array.from({ length: 60 }, () => park()));
      await Promise.all(
        accepted.map(({ interactionId }) => answerInteraction(url, key, interactionId, 'v', 0)),
      );
      const askedAgain = await park();
      await tryCallTool(url, key, 'agent_llm', {
        interactionId: askedAgain.interactionId,
        agentLLMResponse: { status: 'success', data: { object: { wrong: true } } },
        waitMs: 0,
      });
      const [waiting, cancelled, late] = [await park(), await park(), await park(brief.url)];
      // Redis gives back what it held for the filling itself, and for a while: it is filled until a gateway has seen it full each time of many.
      let seenFull = 0;
      await holdsWithin(async () => {
        await fillMemory(redis, 0.98);
        // A gateway looks ten times a second by then.
        await delay(150);
        const { status } = await tryCallTool(url, key, 'bench_echo', { text: 'x' });
        seenFull = status === 503 ? seenFull + 1 : 0;
        return seenFull >= 10;
      }, 15_000);

      const refused = await tryCallTool(url, key, 'bench_echo', { text: 'one more' });
      report.check(
        refused.status === 503 &&
          refused.error.code === 'unavailable' &&
          /memory is full/.test(refused.error.message),
        'a new call is 503 unavailable and says why',
        refused.error,
      );
      const held = await answerInteraction(url, key, waiting.interactionId, 'kept', 0);
      report.check(
        held.status === 503 &&
          held.error.code === 'unavailable' &&
          /Nothing was changed/.test(held.error.message),
        'an answer is 503 unavailable and says that it may be repeated',
        held.error,
      );
      const problem = await tryRequestJson(`${url}/v1/projects/p`, {
        method: 'PUT',
        token: key,
        body: { master: { tasks: [{ id: 1, title: 'T', description: 'D', status: 'pending' }] } },
        limitMs: 5_000,
      });
      report.check(
        problem.kind === 'reply' &&
          problem.status === 503 &&
          JSON.stringify(problem.body).includes('"unavailable"'),
        'REST answers with a problem document of the same name',
        problem,
      );

      const worker = await testbed.startProcess('worker');
      report.check(true, 'a worker starts while Redis is full');
      const ended = async () => {
        const all = await Promise.all(accepted.map(({ taskId }) => standing(taskId)));
        return all.every((task) => task?.status === 'completed' && task.result.value === 'v');
      };
      const took = performance.now();
      report.check(
        await holdsWithin(ended, 15_000, 200),
        'work accepted before completes out of the reserve',
        `60 tasks, ${((performance.now() - took) / 1_000).toFixed(1)} s`,
      );
      report.check(
        (await usedMemoryShare(redis)) > 0.95 &&
          (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).status === 503,
        'new calls are refused all the while',
      );
      const cancelling = await tryCallTool(url, key, 'cancel_task', { taskId: cancelled.taskId });
      report.check(
        cancelling.status === 200 && (await standing(cancelled.taskId)).status === 'cancelled',
        'a task can be cancelled while Redis is full',
        cancelling.error ?? '',
      );
      const expired = async () => (await standing(late.taskId))?.error?.code === 'interaction_expired';
      report.check(
        await holdsWithin(expired, 8_000, 200),
        'an interaction expires while Redis is full, and its task ends',
      );
      const asking = async () => (await standing(askedAgain.taskId))?.status === 'input_required';
      report.check(await holdsWithin(asking, 10_000), 'a task parks its next request out of the reserve');

      // Another client fills Redis completely before a worker has fetched the job.
      await redis.del('junk');
      let atFull = await park();
      await holdsWithin(async () => (atFull ??= await park()) !== undefined, 5_000);
      worker.child.kill('SIGSTOP');
      await answerInteraction(url, key, atFull.interactionId, 'v', 0);
      await fillMemory(redis, 2);
      report.check((await usedMemoryShare(redis)) > 0.999, 'Redis is completely full');
      worker.child.kill('SIGCONT');
      await delay(4_000);
      const stands = (await standing(atFull.taskId))?.status;
      report.check(
        stands === 'working' || stands === 'completed',
        'an accepted answer is never lost',
        stands,
      );
      await redis.del('junk');
      report.check(
        await holdsWithin(async () => (await standing(atFull.taskId))?.status === 'completed', 15_000, 200),
        'its task completes when there is memory again',
      );
      const goesOn = await holdsWithin(
        async () => (await tryCallTool(url, key, 'bench_echo', { text: 'y' })).status === 200,
        5_000,
      );
      report.check(goesOn, 'calls are accepted again when there is memory');
      const repeated = await answerInteraction(url, key, waiting.interactionId, 'kept');
      report.check(
        repeated.content?.outcome.result?.value === 'kept' && repeated.content.replayed === undefined,
        'the refused answer is accepted when repeated, and its task completes',
      );
      report.check(gateway.child.exitCode === null && worker.child.exitCode === null, 'no process exited');
    } finally {
      redis.disconnect();
      await testbed.stop();
    }
  },
};

async function usedMemoryShare(redis: Redis): Promise<number> {
  const info = await redis.info('memory');
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return number('used_memory') / number('maxmemory');
}

/** Writes until the share of maxmemory is used, or Redis takes no more. */
async function fillMemory(redis: Redis, share: number): Promise<void> {
  for (const size of [1_000_000, 100_000, 10_000, 1_000]) {
    while ((await usedMemoryShare(redis)) < share - (size * 2) / 96e6) {
      const text = 'x'.repeat(size);
      const taken = await redis.rpush('junk', text).catch(() => 0);
      if (taken === 0) break;
    }
  }
}
