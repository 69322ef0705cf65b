import { setTimeout as delay } from 'node:timers/promises';
import { interactionId } from '@baton/protocol';
import { Store, type Tenant, type Wait } from '@baton/store';
import { Redis } from 'ioredis';
import type { Situation } from './claims.ts';
import { answer, call, Rig, SECRET } from './rig.ts';

const BACKLOG = 20_000;
const ROUNDS = 2;

/** One tenant's backlog beside another's trickle: the second hardly notices. */
export const neighbours: Situation = {
  name: 'neighbours',
  async run(claims, entry) {
    const rig = await Rig.start(entry);
    const redis = new Redis(rig.redisUrl.replace('unix://', ''));
    const store = await Store.open({ url: rig.redisUrl, secret: SECRET, replica: 'flood' });
    try {
      const { url } = await rig.begin('gateway');
      const worker = await rig.begin('worker');
      const large = await rig.tenant(url, 'large');
      const small = await rig.tenant(url, 'small');
      const backlog = await Backlog.like(url, large, store.tenant('large'), redis);
      const warm = performance.now();
      await trickle(url, small, () => performance.now() - warm > 2_000);
      const alone: number[] = [];
      const beside: number[] = [];
      let drained = 0;
      let took = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const begun = performance.now();
        alone.push(...(await trickle(url, small, () => performance.now() - begun > 5_000)));
        worker.child.kill('SIGSTOP');
        await backlog.fill(BACKLOG / ROUNDS + (round === 0 ? BACKLOG / ROUNDS : 0));
        const deep = await backlog.left();
        worker.child.kill('SIGCONT');
        let left = deep;
        const watch = setInterval(() => void backlog.left().then((size) => (left = size)), 50);
        const from = performance.now();
        beside.push(...(await trickle(url, small, () => left < 500)));
        clearInterval(watch);
        took += performance.now() - from;
        drained += deep - (await backlog.left());
      }
      const [p99alone, p99beside] = [quantile(alone, 0.99), quantile(beside, 0.99)];
      const figures =
        `alone p50 ${quantile(alone, 0.5).toFixed(1)} p99 ${p99alone.toFixed(1)} ms of ${alone.length}; ` +
        `beside p50 ${quantile(beside, 0.5).toFixed(1)} p99 ${p99beside.toFixed(1)} ms of ${beside.length}; ` +
        `${drained} resumed at ${Math.round((drained / took) * 1_000)}/s meanwhile`;
      claims.claim(
        p99beside <= 2 * p99alone && beside.length > 100,
        `p99 of a round trip beside a backlog of ${BACKLOG} is at most twice its own alone`,
        figures,
      );
      claims.claim(await backlog.allEnded(), 'the backlog drains to its end');
    } finally {
      await store.close();
      redis.disconnect();
      await rig.stop();
    }
  },
};

/** Two clients of few words: a round trip, a pause, and so on until it is enough. Gives the milliseconds of each. */
async function trickle(url: string, key: string, enough: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const client = async () => {
    while (!enough()) {
      const begun = performance.now();
      const { content } = await call(url, key, 'bench_echo', { text: 'a few words' });
      const reply = await answer(url, key, content.interactionId, 'v');
      if (reply.content?.outcome.status !== 'completed') throw new Error(JSON.stringify(reply));
      times.push(performance.now() - begun);
      await delay(10);
    }
  };
  await Promise.all([client(), client()]);
  return times;
}

/** Answered calls of a tenant that stand ready, each as a client's own would stand there. */
class Backlog {
  private readonly tenant: Tenant;
  private readonly redis: Redis;
  private readonly wait: Wait;

  private constructor(tenant: Tenant, redis: Redis, wait: Wait) {
    this.tenant = tenant;
    this.redis = redis;
    this.wait = wait;
  }

  /** Takes one call over the wire for its pattern. */
  static async like(url: string, key: string, tenant: Tenant, redis: Redis): Promise<Backlog> {
    const { content } = await call(url, key, 'bench_echo', { text: 'a pattern' });
    const record = await redis.hgetall(tenant.keys.task(content.taskId));
    const [, , kind, path] = (record['open'] ?? '').split(';');
    const body = record['i1'] ?? '';
    const request = JSON.parse(body.slice(body.indexOf(';') + 1));
    await answer(url, key, content.interactionId, 'v');
    return new Backlog(tenant, redis, { kind, path, request } as Wait);
  }

  async fill(count: number): Promise<void> {
    const lane = async () => {
      while (count-- > 0) await this.add();
    };
    await Promise.all(Array.from({ length: 64 }, lane));
  }

  left(): Promise<number> {
    return this.redis.zcard(this.tenant.keys.shard.ready);
  }

  async allEnded(): Promise<boolean> {
    for (let waited = 0; waited < 600; waited++) {
      if (Number(await this.redis.hget(this.tenant.keys.record, 'open')) === 0) return true;
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
    const { taskId } = await tasks.open(this.tenant.operator(), task);
    await interactions.accept(this.tenant.operator(), {
      interactionId: interactionId(taskId, 1),
      text: JSON.stringify({ status: 'success', data: { object: { value: 'v' } } }),
      fingerprint: 'f',
      channel: '',
    });
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
