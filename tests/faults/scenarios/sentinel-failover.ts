import { setTimeout as delay } from 'node:timers/promises';
import type { ScenarioClaims, Scenario } from '../testbed/scenario.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { answerInteraction, callTool, type ToolReply, Testbed } from '../testbed/testbed.ts';
import { RedisSentinels } from '../testbed/redis-sentinels.ts';

const CLIENTS = 16;

/** What clients were told, each with a 200. */
interface Acknowledged {
  /** Interactions that were handed out. */
  readonly parked: { interactionId: string; taskId: string; value: string }[];
  /** Of those: whose answer was taken. */
  readonly accepted: Set<string>;
  /** Of those: whose task was reported with its result. */
  readonly completed: Set<string>;
  unknown: number;
  /** The longest that nothing was acknowledged, in milliseconds. */
  silence: number;
}

/** A master dies or hangs under load, with WAIT on: nothing that was acknowledged is lost. */
export const sentinelFailover: Scenario = {
  name: 'failover',
  async run(claims, entry) {
    const sentinels = await RedisSentinels.start();
    const testbed = Testbed.onRedis(entry, sentinels.url, {
      BATON_REDIS_WAIT_REPLICAS: '1',
      BATON_REDIS_WAIT_MS: '1000',
    });
    try {
      const gateways = await Promise.all([testbed.startProcess('gateway'), testbed.startProcess('gateway')]);
      await Promise.all([testbed.startProcess('worker'), testbed.startProcess('worker')]);
      const urls = gateways.map(({ url }) => url);
      const key = await testbed.createTenant(urls[0]!, 'acme');

      await runUnderLoad(claims, 'a master that hangs for 6 s', urls, key, async () => {
        const old = await sentinels.master();
        process.kill(old.pid, 'SIGSTOP');
        const made = await sentinels.waitForOtherMaster(old, 20_000);
        await delay(3_000);
        process.kill(old.pid, 'SIGCONT');
        return made;
      });
      await runUnderLoad(
        claims,
        'a master that is cut off from its replicas for 1 s, and killed',
        urls,
        key,
        async () => {
          const old = await sentinels.master();
          const others = sentinels.servers.filter((server) => server !== old);
          for (const { pid } of others) process.kill(pid, 'SIGSTOP');
          // Whatever is acknowledged now, only the master would know.
          await delay(1_000);
          process.kill(old.pid, 'SIGKILL');
          for (const { pid } of others) process.kill(pid, 'SIGCONT');
          return sentinels.waitForOtherMaster(old, 20_000);
        },
      );
    } finally {
      await testbed.stop();
      await sentinels.stop();
    }
  },
};

/** Load before, during and after what is done to the master; then everything that was told is asked for. */
async function runUnderLoad(
  claims: ScenarioClaims,
  what: string,
  urls: readonly string[],
  key: string,
  strike: () => Promise<boolean>,
): Promise<void> {
  const told: Acknowledged = {
    parked: [],
    accepted: new Set(),
    completed: new Set(),
    unknown: 0,
    silence: 0,
  };
  let last = performance.now();
  const acknowledged = () => {
    told.silence = Math.max(told.silence, performance.now() - last);
    last = performance.now();
  };
  let over = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !over; n++)
      await runDelegation(urls, key, `${what} ${client}.${n}`, told, acknowledged, () => over);
  });
  await delay(2_000);
  const made = await strike();
  await delay(4_000);
  over = true;
  await Promise.all(clients);
  claims.claim(made, `${what}: another takes its place`);
  const wrong = await findLost(urls, key, told);
  claims.claim(
    wrong.length === 0 && told.completed.size > 100,
    `${what}: nothing that was acknowledged is lost`,
    wrong.length > 0
      ? wrong.slice(0, 4).join('; ')
      : `${told.parked.length} parked, ${told.accepted.size} answers taken, ${told.completed.size} results told, ` +
          `${told.unknown} calls of which nothing was known; the longest pause ${Math.round(told.silence)} ms`,
  );
}

/** One delegation. What is unknown is repeated, as the message says: the start anew, the answer as it is. */
async function runDelegation(
  urls: readonly string[],
  key: string,
  value: string,
  told: Acknowledged,
  acknowledged: () => void,
  over: () => boolean,
): Promise<void> {
  const some = () => urls[Math.floor(Math.random() * urls.length)]!;
  const parked = await callTool(some(), key, 'bench_echo', { text: value });
  if (parked.content === undefined) {
    told.unknown++;
    return delay(50);
  }
  acknowledged();
  const { interactionId, taskId } = parked.content;
  told.parked.push({ interactionId, taskId, value });
  for (let tries = 0; tries < 200 && !over(); tries++) {
    const reply = await answerInteraction(some(), key, interactionId, value, 5_000);
    if (reply.content === undefined) {
      told.unknown++;
      await delay(50);
      continue;
    }
    acknowledged();
    told.accepted.add(interactionId);
    if (reply.content.outcome.status === 'completed') told.completed.add(interactionId);
    return;
  }
}

/** What was told and is not so. */
async function findLost(urls: readonly string[], key: string, told: Acknowledged): Promise<string[]> {
  const wrong: string[] = [];
  const check = async ({ interactionId, taskId, value }: Acknowledged['parked'][number]) => {
    const was = told.accepted.has(interactionId);
    const again = await repeatUntilKnown(() =>
      answerInteraction(urls[0]!, key, interactionId, value, 25_000),
    );
    if (again.content?.outcome.result?.value !== value) {
      wrong.push(`${taskId} ${was ? 'was answered' : 'was parked'}: ${describeReply(again)}`);
    } else if (was && again.content.replayed !== true) {
      wrong.push(`${taskId} was answered, and its answer is taken anew`);
    }
  };
  for (let at = 0; at < told.parked.length; at += 64) {
    await Promise.all(told.parked.slice(at, at + 64).map(check));
  }
  return wrong;
}

async function repeatUntilKnown(ask: () => Promise<ToolReply>): Promise<ToolReply> {
  for (let tries = 0; ; tries++) {
    const reply = await ask();
    const unknown = reply.status === 0 || reply.status === 503;
    if ((!unknown && reply.content?.outcome?.status !== 'working') || tries === 100) return reply;
    await delay(200);
  }
}

function describeReply(reply: ToolReply): string {
  const { outcome }: AnyJson = reply.content ?? {};
  return JSON.stringify(reply.error ?? outcome ?? reply.status).slice(0, 200);
}
