import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { tryRequestJson } from '../../harness/http-request.ts';
import type { Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

/** The queue `resume` is paused while every process restarts: the pause is kept, and nothing is lost. */
export const pausedQueue: Scenario = {
  name: 'paused-queue',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
    const queue = new Queue('resume', { connection: redis, prefix: 'baton:{s0}:bull' });
    try {
      const first = await testbed.startProcess('gateway');
      const worker = await testbed.startProcess('worker');
      const key = await testbed.createTenant(first.url, 'acme');
      await queue.pause();
      const parked = await Promise.all(
        Array.from({ length: 100 }, () => tryCallTool(first.url, key, 'bench_echo', { text: 'x' })),
      );
      const taken = await Promise.all(
        parked.map(({ content }) => answerInteraction(first.url, key, content.interactionId, 'v', 0)),
      );
      report.check(
        taken.every(({ content }) => content?.outcome?.status === 'working'),
        'answers are accepted while the queue is paused',
      );
      await worker.stop('SIGTERM');
      await first.stop('SIGKILL');
      const { url } = await testbed.startProcess('gateway');
      const late = await testbed.startProcess('worker');
      const said = () => late.output.some((line) => line.includes('paused') && line.includes('s0:resume'));
      report.check(await holdsWithin(async () => said(), 10_000), 'the log names the paused queue');
      const ready = await tryRequestJson(`${url}/readyz`, { method: 'GET', token: '', limitMs: 5_000 });
      report.check(
        ready.kind === 'reply' && ready.status === 200 && JSON.stringify(ready.body).includes('s0:resume'),
        '/readyz names the queue, and the gateway is ready',
        ready,
      );
      // Some twenty sweeps and five checks.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      const waiting = await queue.getWaitingCount();
      report.check(
        waiting === 1 && (await queue.isPaused()),
        'only one job is added while the queue is paused',
        `${waiting} jobs`,
      );
      await queue.resume();
      const ended = async () =>
        (await redis.hget('baton:{s0}:t:acme', 'open')) === '0' && (await queue.getWaitingCount()) === 0;
      const begun = performance.now();
      report.check(
        await holdsWithin(ended, 10_000),
        'all accepted answers complete when it is resumed',
        `${Math.round(performance.now() - begun)} ms`,
      );
    } finally {
      await queue.close();
      redis.disconnect();
      await testbed.stop();
    }
  },
};
