import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { http } from '../http.ts';
import type { Situation } from './claims.ts';
import { answer, call, Rig, until } from './rig.ts';

/** An operator pauses the queue `resume`, restarts every process, and resumes it: the pause is kept, and nothing is lost. */
export const pausedQueue: Situation = {
  name: 'paused-queue',
  async run(claims, entry) {
    const rig = await Rig.start(entry);
    const redis = new Redis(rig.redisUrl.replace('unix://', ''), { maxRetriesPerRequest: null });
    const queue = new Queue('resume', { connection: redis, prefix: 'baton:{s0}:bull' });
    try {
      const first = await rig.begin('gateway');
      const worker = await rig.begin('worker');
      const key = await rig.tenant(first.url, 'acme');
      await queue.pause();
      const parked = await Promise.all(
        Array.from({ length: 100 }, () => call(first.url, key, 'bench_echo', { text: 'x' })),
      );
      const taken = await Promise.all(
        parked.map(({ content }) => answer(first.url, key, content.interactionId, 'v', 0)),
      );
      claims.claim(
        taken.every(({ content }) => content?.outcome?.status === 'working'),
        'answers are accepted while the queue is paused',
      );
      await worker.end('SIGTERM');
      await first.end('SIGKILL');
      const { url } = await rig.begin('gateway');
      const late = await rig.begin('worker');
      const said = () => late.output.some((line) => line.includes('paused') && line.includes('s0:resume'));
      claims.claim(await until(async () => said(), 10_000), 'the log says which queue is paused');
      const ready = await http(`${url}/readyz`, { method: 'GET', token: '', limitMs: 5_000 });
      claims.claim(
        ready.kind === 'reply' && ready.status === 200 && JSON.stringify(ready.body).includes('s0:resume'),
        '/readyz names it, and the gateway is ready',
        ready,
      );
      // Some twenty sweeps and five checks.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      const waiting = await queue.getWaitingCount();
      claims.claim(
        waiting === 1 && (await queue.isPaused()),
        'one job waits, however long',
        `${waiting} jobs`,
      );
      await queue.resume();
      const ended = async () =>
        (await redis.hget('baton:{s0}:t:acme', 'open')) === '0' && (await queue.getWaitingCount()) === 0;
      const begun = performance.now();
      claims.claim(
        await until(ended, 10_000),
        'all that was accepted ends when it is resumed',
        `${Math.round(performance.now() - begun)} ms`,
      );
    } finally {
      await queue.close();
      redis.disconnect();
      await rig.stop();
    }
  },
};
