import { setTimeout as delay } from 'node:timers/promises';
import { Store, type Wait } from '@baton/store';
import { Redis } from 'ioredis';
import { SECRET } from '../../processes/process-settings.ts';
import type { Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { tryCallTool } from '../testbed/tool-calls.ts';

const BURST_SIZE = 20_000;
const LIFE_MS = 30_000;

/** 20,000 interactions of one tenant expire at once; an interaction of another tenant still expires in time. */
export const deadlineBurst: Scenario = {
  name: 'deadline-burst',
  async run(report, entry) {
    const testbed = await Testbed.start(entry);
    const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
    const lifetimes = { interaction: LIFE_MS, task: 10 * LIFE_MS, retention: 60_000 };
    const store = await Store.open({ url: testbed.redisUrl, secret: SECRET, replica: 'burst', lifetimes });
    try {
      const { url } = await testbed.startProcess('gateway');
      const worker = await testbed.startProcess('worker');
      const key = await testbed.createTenant(url, 'burst');
      await testbed.createTenant(url, 'other');
      const [burst, other] = [store.tenant('burst'), store.tenant('other')];
      const pattern = (await tryCallTool(url, key, 'bench_echo', { text: 'a pattern' })).content;
      const record = await redis.hgetall(burst.keys.task(pattern.taskId));
      const [, , kind, path] = (record['open'] ?? '').split(';');
      const body = record['i1'] ?? '';
      const wait = { kind, path, request: JSON.parse(body.slice(body.indexOf(';') + 1)) } as Wait;
      const task = { operation: 'bench_echo', version: 1, input: { text: 'x' }, journal: [], ready: false };
      const open = async (tenant: typeof burst) =>
        (await tenant.tasks.open(tenant.operatorCaller(), { ...task, waits: [wait] })).taskId;
      let left = BURST_SIZE;
      const lane = async () => {
        while (left-- > 0) await open(burst);
      };
      await Promise.all(Array.from({ length: 64 }, lane));
      const single = await open(other);
      const due = Number((await redis.zrange(other.keys.deadlines, '0', '0', 'WITHSCORES'))[1]);
      // No sweep runs before: all of them are due when the single one is.
      const first = Number((await redis.zrange(burst.keys.deadlines, '0', '0', 'WITHSCORES'))[1]);
      report.check(
        first > Date.now() + 1_000,
        'all interactions are open before the first one is due',
        `${first - Date.now()} ms`,
      );
      worker.child.kill('SIGSTOP');
      await delay(Math.max(0, due - Date.now() - 50));
      worker.child.kill('SIGCONT');
      const failed = async () => (await redis.hget(other.keys.task(single), 'st')) === 'failed';
      await holdsWithin(failed, 30_000, 10);
      const late = Date.now() - due;
      const openNow = Number(await redis.hget(burst.keys.tenant, 'open'));
      report.check(
        late < 1_000,
        `the other tenant's task ends within 1 s of its deadline`,
        `${late} ms after it; ${openNow} of the burst were still open`,
      );
      const ended = async () => (await redis.hget(burst.keys.tenant, 'open')) === '1';
      report.check(
        await holdsWithin(ended, 90_000, 200),
        'all tasks of the burst end',
        `${((Date.now() - due) / 1_000).toFixed(1)} s after`,
      );
    } finally {
      await store.close();
      redis.disconnect();
      await testbed.stop();
    }
  },
};
