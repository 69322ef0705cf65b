import { setTimeout as delay } from 'node:timers/promises';
import { formatInteractionId } from '@baton/protocol';
import { Store, type TenantStore, type Wait } from '@baton/store';
import { Redis } from 'ioredis';
import { quantile } from '../../harness/statistics.ts';
import type { Scenario } from '../testbed/scenario.ts';
import { SECRET } from '../../processes/process-settings.ts';
import { Testbed } from '../testbed/testbed.ts';
import { answerInteraction, tryCallTool } from '../testbed/tool-calls.ts';

/** Several backlogs, so that the p99 is one of more than a thousand round trips. */
const BACKLOGS = [20_000, 20_000, 20_000];
const ROUNDS = 3;
const ALONE_MS = 4_000;
const WINDOW_MS = 4_000;

interface Trip {
  readonly ms: number;
  /** How many of the other tenant's tasks ended between this answer and its result. */
  readonly between: number;
}

/** The backlog of one tenant hardly delays another tenant's few requests. */
export const noisyNeighbour: Scenario = {
  name: 'noisy-neighbour',
  async run(report, entry) {
    const rig = await Testbed.start(entry);
    const redis = new Redis(rig.redisUrl.replace('unix://', ''));
    const store = await Store.open({ url: rig.redisUrl, secret: SECRET, replica: 'flood' });
    try {
      const { url } = await rig.startProcess('gateway');
      const worker = await rig.startProcess('worker');
      const large = await rig.createTenant(url, 'large');
      const small = await rig.createTenant(url, 'small');
      const backlog = await Backlog.create(url, large, store.tenant('large'), redis);
      const others = () => backlog.countOpen();
      const during = (ms: number) => {
        const begun = performance.now();
        return () => performance.now() - begun > ms;
      };
      await runTrickle(url, small, during(2_000), others);
      const alone: Trip[][] = [];
      const beside: Trip[][] = [];
      const ms = (trips: readonly Trip[]) => trips.map((trip) => trip.ms);
      // Windows are pooled, so that one AOF rewrite or stall of the machine counts only for its own round trips.
      const pooled = (windows: readonly Trip[][], share: number) => quantile(ms(windows.flat()), share);
      const holds = () => pooled(beside, 0.99) <= 2 * pooled(alone, 0.99) && beside.flat().length > 100;
      // Measures again, with and without the backlog, while the check fails.
      for (let round = 0; round < ROUNDS && (round === 0 || !holds()); round++)
        for (const size of BACKLOGS) {
          alone.push(await runTrickle(url, small, during(ALONE_MS), others));
          worker.child.kill('SIGSTOP');
          await backlog.fill(size);
          worker.child.kill('SIGCONT');
          let left = size;
          const watch = setInterval(() => void backlog.countReady().then((now) => (left = now)), 50);
          while (left > 500) {
            const over = during(WINDOW_MS);
            beside.push(await runTrickle(url, small, () => over() || left < 500, others));
          }
          clearInterval(watch);
          await backlog.waitUntilEmpty();
        }
      const between = beside.flat().map((trip) => trip.between);
      const figures = (name: string, windows: readonly Trip[][]) =>
        `${name} p50 ${pooled(windows, 0.5).toFixed(1)} p99 ${pooled(windows, 0.99).toFixed(1)} ms in ${windows.length} windows of ${windows.flat().length} trips`;
      report.check(
        holds(),
        `p99 of a round trip beside a backlog of ${BACKLOGS[0]} is at most twice its own alone`,
        `${figures('alone', alone)}; ${figures('beside', beside)}`,
      );
      report.check(
        quantile(between, 0.5) <= 100,
        'at most 100 tasks of the backlog end between an answer and its result',
        `p50 ${quantile(between, 0.5)}, p99 ${quantile(between, 0.99)}`,
      );
      report.check(await backlog.waitUntilEmpty(), 'the backlog drains to its end');
    } finally {
      await store.close();
      redis.disconnect();
      await rig.stop();
    }
  },
};

/** Two clients that delegate one request after the other with a short pause, until `enough`. */
async function runTrickle(
  url: string,
  key: string,
  enough: () => boolean,
  others: () => Promise<number>,
): Promise<Trip[]> {
  const trips: Trip[] = [];
  const client = async () => {
    while (!enough()) {
      const begun = performance.now();
      const { content } = await tryCallTool(url, key, 'bench_echo', { text: 'a few words' });
      const parked = performance.now() - begun;
      const before = await others();
      const answered = performance.now();
      const reply = await answerInteraction(url, key, content.interactionId, 'v');
      const ms = parked + performance.now() - answered;
      if (reply.content?.outcome.status !== 'completed') throw new Error(JSON.stringify(reply));
      trips.push({ ms, between: before - (await others()) });
      await delay(10);
    }
  };
  await Promise.all([client(), client()]);
  return trips;
}

/** Tasks of a tenant that are answered and ready to resume, as calls over the wire would leave them. */
class Backlog {
  private readonly tenant: TenantStore;
  private readonly redis: Redis;
  private readonly wait: Wait;

  private constructor(tenant: TenantStore, redis: Redis, wait: Wait) {
    this.tenant = tenant;
    this.redis = redis;
    this.wait = wait;
  }

  /** Copies the stored record of one call over the wire. */
  static async create(url: string, key: string, tenant: TenantStore, redis: Redis): Promise<Backlog> {
    const { content } = await tryCallTool(url, key, 'bench_echo', { text: 'a pattern' });
    const record = await redis.hgetall(tenant.keys.task(content.taskId));
    const [, , kind, path] = (record['open'] ?? '').split(';');
    const body = record['i1'] ?? '';
    const request = JSON.parse(body.slice(body.indexOf(';') + 1));
    await answerInteraction(url, key, content.interactionId, 'v');
    return new Backlog(tenant, redis, { kind, path, request } as Wait);
  }

  async fill(count: number): Promise<void> {
    const lane = async () => {
      while (count-- > 0) await this.add();
    };
    await Promise.all(Array.from({ length: 64 }, lane));
  }

  countReady(): Promise<number> {
    return this.redis.zcard(this.tenant.keys.ready);
  }

  /** How many of its tasks have not ended. */
  async countOpen(): Promise<number> {
    return Number(await this.redis.hget(this.tenant.keys.tenant, 'open'));
  }

  async waitUntilEmpty(): Promise<boolean> {
    for (let waited = 0; waited < 600; waited++) {
      if ((await this.countOpen()) === 0) return true;
      await delay(50);
    }
    return false;
  }

  private async add(): Promise<void> {
    const { tasks, interactions } = this.tenant;
    const input = { text: 'a backlog' };
    const task = {
      operation: 'bench_echo',
      version: 1,
      input,
      journal: [],
      waits: [this.wait],
      ready: false,
    };
    const { taskId } = await tasks.open(this.tenant.operatorCaller(), task);
    await interactions.accept(this.tenant.operatorCaller(), {
      interactionId: formatInteractionId(taskId, 1),
      text: JSON.stringify({ status: 'success', data: { object: { value: 'v' } } }),
      fingerprint: 'f',
      channel: '',
    });
  }
}
