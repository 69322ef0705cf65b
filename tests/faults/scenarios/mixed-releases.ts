import { Redis } from 'ioredis';
import type { Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

/** A release without the test programs stands for an older one. */
const OLDER = { BATON_TEST_OPERATIONS: 'false' };

const DELEGATED = {
  delegatedCallDetails: {
    originalCommand: 'x',
    role: 'main',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content: 'hi' }] },
  },
};

/** Two releases run side by side: a task whose program only one worker has is resumed by that worker. */
export const mixedReleases: Scenario = {
  name: 'mixed-releases',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
    try {
      const { url } = await testbed.startProcess('gateway');
      const key = await testbed.createTenant(url, 'acme');
      const status = async (taskId: string) =>
        (await tryCallTool(url, key, 'task_status', { taskId })).content as AnyJson;
      const parkedByNew = (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).content;

      const older = await testbed.startProcess('worker', OLDER);
      const known = (await tryCallTool(url, key, 'agent_llm', DELEGATED)).content;
      const resumed = await tryCallTool(url, key, 'agent_llm', {
        interactionId: known.interactionId,
        agentLLMResponse: { status: 'success', data: { text: 'hi' } },
        waitMs: 10_000,
      });
      report.check(
        resumed.content?.outcome?.status === 'completed',
        'a program of both releases is resumed by either',
      );
      await answerInteraction(url, key, parkedByNew.interactionId, 'v', 0);
      const heldBack = async () => (await redis.zcard('baton:{s0}:t:acme:held')) === 1;
      report.check(await holdsWithin(heldBack, 10_000), 'a worker without the program puts the task back');
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      const waits = await status(parkedByNew.taskId);
      report.check(waits.status === 'working', 'the task waits, and no attempt is counted', waits);
      const refused = async () => (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).error?.code;
      report.check(
        await holdsWithin(async () => (await refused()) === 'program_unavailable', 5_000),
        'a new call of that program is refused with program_unavailable',
      );

      await testbed.startProcess('worker');
      const done = async () => (await status(parkedByNew.taskId)).status === 'completed';
      const begun = performance.now();
      report.check(
        await holdsWithin(done, 10_000),
        'a worker that has the program resumes the task',
        `${Math.round(performance.now() - begun)} ms after it started`,
      );
      await holdsWithin(async () => (await refused()) === undefined, 5_000);
      const trips = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const parked = (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).content;
          const from = performance.now();
          const reply = await answerInteraction(url, key, parked.interactionId, 'v', 25_000);
          return { ms: performance.now() - from, status: reply.content?.outcome?.status };
        }),
      );
      const slowest = Math.max(...trips.map(({ ms }) => ms));
      report.check(
        trips.every((trip) => trip.status === 'completed'),
        'beside the older worker every answer is resumed',
        `the slowest in ${Math.round(slowest)} ms`,
      );
      await older.stop('SIGTERM');
      const after = (await tryCallTool(url, key, 'bench_echo', { text: 'x' })).content;
      const last = await answerInteraction(url, key, after.interactionId, 'v');
      report.check(last.content?.outcome?.status === 'completed', 'and after the older worker has exited');
    } finally {
      redis.disconnect();
      await testbed.stop();
    }
  },
};
