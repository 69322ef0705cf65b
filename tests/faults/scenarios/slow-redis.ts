import { join } from 'node:path';
import { COMMAND_TIMEOUT } from '@baton/store';
import { startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { tryRequestJson } from '../../harness/http-request.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { createTemporaryFolder } from '../../processes/temporary-folder.ts';
import { RedisProxy } from '../../proxies/redis-proxy.ts';
import type { Scenario } from '../testbed/scenario.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

const TRIPS = 60;
/** Each way; a command takes twice as long. */
const SLOW_MS = [40, 250];

/**
 * Redis answers late and never stops: every command of every process is delayed. Nothing is refused or done twice; once it is
 * slower than a command may take, calls are refused in time as ones that may be repeated, and go on when it is quick again.
 */
export const slowRedis: Scenario = {
  name: 'slow-redis',
  async run(report, entry) {
    const server = await startPrivateRedis({});
    const path = server.url.replace('unix://', '');
    const proxy = await RedisProxy.open(join(createTemporaryFolder('slow-redis'), 'redis.sock'), path);
    const testbed = Testbed.onRedis(entry, proxy.url, async () => server.url);
    const redis = new Redis(path);
    try {
      const gateways = [await testbed.startProcess('gateway'), await testbed.startProcess('gateway')];
      for (let n = 0; n < 2; n++) await testbed.startProcess('worker');
      const url = (n: number) => gateways[n % 2]?.url ?? '';
      const key = await testbed.createTenant(url(0), 'acme');
      const trip = async (n: number) => {
        const begun = performance.now();
        const parked = await tryCallTool(url(n), key, 'bench_echo', { text: `x ${n}` });
        const { interactionId = '' } = parked.content ?? {};
        const reply = await answerInteraction(url(n + 1), key, interactionId, 'v', 25_000);
        return { status: reply.content?.outcome?.status ?? reply.error?.code, ms: performance.now() - begun };
      };
      await trip(0);
      for (const slow of SLOW_MS) {
        proxy.setRedisDelay(slow);
        const trips = await Promise.all(Array.from({ length: TRIPS }, (_, n) => trip(n)));
        const fastest = Math.min(...trips.map(({ ms }) => ms));
        report.check(
          trips.every(({ status }) => status === 'completed') && fastest > 4 * slow,
          `with ${slow} ms on each way to Redis and back, ${TRIPS} round trips complete and none is refused`,
          `${Math.round(fastest)} to ${Math.round(Math.max(...trips.map(({ ms }) => ms)))} ms`,
        );
        const ready = await tryRequestJson(`${url(0)}/readyz`, { method: 'GET', token: '', limitMs: 5_000 });
        report.check(ready.kind === 'reply' && ready.status === 200, 'a gateway stays ready', ready);
      }

      proxy.setRedisDelay(COMMAND_TIMEOUT);
      const begun = performance.now();
      const refused = await Promise.all(
        Array.from({ length: 10 }, (_, n) => tryCallTool(url(n), key, 'bench_echo', { text: `late ${n}` })),
      );
      const took = performance.now() - begun;
      report.check(
        refused.every(({ error }) => error?.code === 'unavailable') && took < 2 * COMMAND_TIMEOUT,
        'slower than a command may take, calls are refused as unavailable, and in time',
        `${JSON.stringify(refused[0]?.error).slice(0, 200)} after ${Math.round(took)} ms`,
      );
      proxy.setRedisDelay(0);
      const again = async () => (await trip(0)).status === 'completed';
      report.check(await holdsWithin(again, 10_000), 'quick again, it serves without a restart');

      const ended = async () => {
        const tasks = await redis.keys('baton:{s0}:t:acme:task:*');
        const states = await Promise.all(tasks.map((task) => redis.hmget(task, 'st', 'ev')));
        return states.filter(([status]) => status === 'completed').every(([, events]) => events === '1');
      };
      report.check(await ended(), 'no answer was processed twice');
    } finally {
      redis.disconnect();
      await testbed.stop();
      proxy.close();
      await server.stop();
    }
  },
};
