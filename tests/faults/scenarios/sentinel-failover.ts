import { setTimeout as delay } from 'node:timers/promises';
import type { ScenarioReport, Scenario } from '../testbed/scenario.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool, type ToolReply } from '../testbed/tool-calls.ts';
import { RedisSentinels } from '../testbed/redis-sentinels.ts';

const CLIENTS = 16;

/** What was acknowledged to clients. */
interface Acknowledged {
  /** Parked interactions. */
  readonly parked: { interactionId: string; taskId: string; value: string }[];
  /** Ids of those whose answer was accepted. */
  readonly accepted: Set<string>;
  /** Ids of those whose result was returned. */
  readonly completed: Set<string>;
  unknown: number;
  /** The longest time without an acknowledgement, in milliseconds. */
  silence: number;
}

/** A master dies or hangs under load, with WAIT on: nothing that was acknowledged is lost. */
export const sentinelFailover: Scenario = {
  name: 'sentinel-failover',
  async run(report, entry) {
    const sentinels = await RedisSentinels.start();
    const testbed = Testbed.onRedis(entry, sentinels.url, async () => (await sentinels.master()).url, {
      BATON_REDIS_WAIT_REPLICAS: '1',
      BATON_REDIS_WAIT_MS: '1000',
    });
    try {
      const gateways = await Promise.all([testbed.startProcess('gateway'), testbed.startProcess('gateway')]);
      await Promise.all([testbed.startProcess('worker'), testbed.startProcess('worker')]);
      const urls = gateways.map(({ url }) => url);
      const key = await testbed.createTenant(urls[0]!, 'acme');

      await runUnderLoad(report, 'a master that hangs for 6 s', urls, key, async () => {
        const old = await sentinels.master();
        process.kill(old.pid, 'SIGSTOP');
        const made = await sentinels.waitForOtherMaster(old, 20_000);
        await delay(3_000);
        process.kill(old.pid, 'SIGCONT');
        return made;
      });
      await runUnderLoad(
        report,
        'a master that is cut off from its replicas for 1 s, and killed',
        urls,
        key,
        async () => {
          const old = await sentinels.master();
          const others = sentinels.servers.filter((server) => server !== old);
          for (const { pid } of others) process.kill(pid, 'SIGSTOP');
          // Writes of this second reach no replica.
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

/** Runs load before, during and after the failure, then verifies everything that was acknowledged. */
async function runUnderLoad(
  report: ScenarioReport,
  what: string,
  urls: readonly string[],
  key: string,
  strike: () => Promise<boolean>,
): Promise<void> {
  const acknowledgements: Acknowledged = {
    parked: [],
    accepted: new Set(),
    completed: new Set(),
    unknown: 0,
    silence: 0,
  };
  let last = performance.now();
  const acknowledged = () => {
    acknowledgements.silence = Math.max(acknowledgements.silence, performance.now() - last);
    last = performance.now();
  };
  let over = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !over; n++)
      await runDelegation(urls, key, `${what} ${client}.${n}`, acknowledgements, acknowledged, () => over);
  });
  await delay(2_000);
  const made = await strike();
  await delay(4_000);
  over = true;
  await Promise.all(clients);
  report.check(made, `${what}: a replica is promoted`);
  const wrong = await findLost(urls, key, acknowledgements);
  report.check(
    wrong.length === 0 && acknowledgements.completed.size > 100,
    `${what}: nothing that was acknowledged is lost`,
    wrong.length > 0
      ? wrong.slice(0, 4).join('; ')
      : `${acknowledgements.parked.length} parked, ${acknowledgements.accepted.size} answers taken, ${acknowledgements.completed.size} results acknowledgements, ` +
          `${acknowledgements.unknown} calls of which nothing was known; the longest pause ${Math.round(acknowledgements.silence)} ms`,
  );
}

/** One delegation. After an unknown outcome the call is made anew, and the answer repeated. */
async function runDelegation(
  urls: readonly string[],
  key: string,
  value: string,
  acknowledgements: Acknowledged,
  acknowledged: () => void,
  over: () => boolean,
): Promise<void> {
  const some = () => urls[Math.floor(Math.random() * urls.length)]!;
  const parked = await tryCallTool(some(), key, 'bench_echo', { text: value });
  if (parked.content === undefined) {
    acknowledgements.unknown++;
    return delay(50);
  }
  acknowledged();
  const { interactionId, taskId } = parked.content;
  acknowledgements.parked.push({ interactionId, taskId, value });
  for (let tries = 0; tries < 200 && !over(); tries++) {
    const reply = await answerInteraction(some(), key, interactionId, value, 5_000);
    if (reply.content === undefined) {
      acknowledgements.unknown++;
      await delay(50);
      continue;
    }
    acknowledged();
    acknowledgements.accepted.add(interactionId);
    if (reply.content.outcome.status === 'completed') acknowledgements.completed.add(interactionId);
    return;
  }
}

/** Acknowledgements that no longer hold. */
async function findLost(
  urls: readonly string[],
  key: string,
  acknowledgements: Acknowledged,
): Promise<string[]> {
  const wrong: string[] = [];
  const check = async ({ interactionId, taskId, value }: Acknowledged['parked'][number]) => {
    const was = acknowledgements.accepted.has(interactionId);
    const again = await repeatUntilKnown(() =>
      answerInteraction(urls[0]!, key, interactionId, value, 25_000),
    );
    if (again.content?.outcome.result?.value !== value) {
      wrong.push(`${taskId} ${was ? 'was answered' : 'was parked'}: ${describeReply(again)}`);
    } else if (was && again.content.replayed !== true) {
      wrong.push(`${taskId} was answered, and its answer is accepted again`);
    }
  };
  for (let at = 0; at < acknowledgements.parked.length; at += 64) {
    await Promise.all(acknowledgements.parked.slice(at, at + 64).map(check));
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
