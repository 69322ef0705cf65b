import { Redis } from 'ioredis';
import type { Situation } from './claims.ts';
import { answer, call, type Loose, Rig, until } from './rig.ts';

/** A release without the programs of the tests, as if it were the one before they came. */
const OLDER = { BATON_TEST_OPERATIONS: 'false' };

const DELEGATED = {
  delegatedCallDetails: {
    originalCommand: 'x',
    role: 'main',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'hi' }] },
  },
};

/** Real processes of two releases: an answer whose program only one worker has is resumed by that one, whoever is asked first. */
export const mixedReleases: Situation = {
  name: 'mixed-releases',
  async run(claims, entry) {
    const rig = await Rig.start(entry);
    const redis = new Redis(rig.redisUrl.replace('unix://', ''));
    try {
      const { url } = await rig.begin('gateway');
      const key = await rig.tenant(url, 'acme');
      const status = async (taskId: string) =>
        (await call(url, key, 'task_status', { taskId })).content as Loose;
      const parkedByNew = (await call(url, key, 'bench_echo', { text: 'x' })).content;

      const older = await rig.begin('worker', OLDER);
      const known = (await call(url, key, 'agent_llm', DELEGATED)).content;
      const resumed = await call(url, key, 'agent_llm', {
        interactionId: known.interactionId,
        agentLLMResponse: { status: 'success', data: { text: 'hi' } },
        waitMs: 10_000,
      });
      claims.claim(
        resumed.content?.outcome?.status === 'completed',
        'what both releases know is resumed by either',
      );
      await answer(url, key, parkedByNew.interactionId, 'v', 0);
      const heldBack = async () => (await redis.zcard('baton:{s0}:t:acme:held')) === 1;
      claims.claim(await until(heldBack, 10_000), 'a worker without the program puts the task back');
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      const waits = await status(parkedByNew.taskId);
      claims.claim(waits.status === 'working', 'it waits, and no try is counted', waits);
      const refused = async () => (await call(url, key, 'bench_echo', { text: 'x' })).error?.code;
      claims.claim(
        await until(async () => (await refused()) === 'program_unavailable', 5_000),
        'a new call of that program is refused by name, to be repeated',
      );

      await rig.begin('worker');
      const done = async () => (await status(parkedByNew.taskId)).status === 'completed';
      const begun = performance.now();
      claims.claim(
        await until(done, 10_000),
        'a worker that has the program goes on with it',
        `${Math.round(performance.now() - begun)} ms after it started`,
      );
      await until(async () => (await refused()) === undefined, 5_000);
      const trips = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const parked = (await call(url, key, 'bench_echo', { text: 'x' })).content;
          const from = performance.now();
          const reply = await answer(url, key, parked.interactionId, 'v', 25_000);
          return { ms: performance.now() - from, status: reply.content?.outcome?.status };
        }),
      );
      const slowest = Math.max(...trips.map(({ ms }) => ms));
      claims.claim(
        trips.every((trip) => trip.status === 'completed'),
        'beside the older worker every answer is resumed',
        `the slowest in ${Math.round(slowest)} ms`,
      );
      await older.end('SIGTERM');
      const after = (await call(url, key, 'bench_echo', { text: 'x' })).content;
      const last = await answer(url, key, after.interactionId, 'v');
      claims.claim(last.content?.outcome?.status === 'completed', 'and after the older one has left');
    } finally {
      redis.disconnect();
      await rig.stop();
    }
  },
};
