import { type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { refuseWrites } from '@baton/store/testing/refuse-writes';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { BatonProcess, GATEWAY_READY_LINE } from '../processes/baton-process.ts';

type Refusal = (redis: PrivateRedis, client: Redis) => Promise<() => Promise<unknown>>;

const REFUSALS: readonly [string, RegExp, Refusal][] = [
  ['cannot persist', /persist/, refuseWrites],
  [
    'has too few replicas',
    /min-replicas-to-write/,
    async (_redis, client) => {
      await client.config('SET', 'min-replicas-to-write', '1');
      return () => client.config('SET', 'min-replicas-to-write', '0');
    },
  ],
  [
    'is a replica itself',
    /read-only/,
    async (_redis, client) => {
      await client.replicaof('127.0.0.1', 9);
      return () => client.replicaof('NO', 'ONE');
    },
  ],
];

test.each(REFUSALS)(
  'a Redis that %s is told by readiness, metric and log of both roles, until it takes writes',
  async (_what, reason, refuse) => {
    const redis = await startPrivateRedis();
    const client = new Redis(redis.url.replace('unix://', ''));
    const environment = {
      REDIS_URL: redis.url,
      BATON_SECRET: 'a secret of the tests',
      BATON_OPERATOR_TOKEN: 'operator-token-of-the-tests',
      BATON_METRICS_OPEN: 'true',
      BATON_HEALTH_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
    };
    const roles = await Promise.all([
      BatonProcess.start('gateway', environment, GATEWAY_READY_LINE),
      BatonProcess.start('worker', environment, /^baton worker listens on (http:\S+)$/),
    ]);
    try {
      const ready = () =>
        Promise.all(
          roles.map(async ({ url }) => {
            const reply = await fetch(`${url}/readyz`);
            return [reply.status, ((await reply.json()) as { status: string }).status];
          }),
        );
      const up = () =>
        Promise.all(
          roles.map(async ({ url }) =>
            /^baton_redis_up .$/m.exec(await (await fetch(`${url}/metrics`)).text())?.at(0),
          ),
        );
      const logged = (text: string) => roles.map(({ output }) => output.some((line) => line.includes(text)));
      const refused = async () => {
        const headers = { authorization: `Bearer ${environment.BATON_OPERATOR_TOKEN}` };
        const reply = await fetch(`${roles[0].url}/v1/status`, { headers });
        return ((await reply.json()) as { redis?: { refuses?: string } }).redis?.refuses;
      };
      const patient = { timeout: 20_000 };
      expect(await ready()).toEqual(roles.map(() => [200, 'ready']));

      const allowWrites = await refuse(redis, client);
      const refusal = expect.stringMatching(new RegExp(`^redis takes no writes: .*${reason.source}`));
      // A client leaves a replica at the first write that it refuses, and looks for the master: it may be on its way.
      await expect.poll(ready, patient).toEqual(roles.map(() => [503, refusal]));
      await expect
        .poll(refused, patient)
        .toMatch(new RegExp(`^every write \\(redis takes no writes: .*${reason.source}`));
      await expect.poll(up, patient).toEqual(roles.map(() => 'baton_redis_up 0'));
      await expect.poll(() => logged('"trouble":"redis takes no writes: '), patient).toEqual([true, true]);

      await allowWrites();
      await expect.poll(ready, patient).toEqual(roles.map(() => [200, 'ready']));
      expect(await refused()).toBeUndefined();
      await expect.poll(up, patient).toEqual(roles.map(() => 'baton_redis_up 1'));
      await expect.poll(() => logged('redis is usable again'), patient).toEqual([true, true]);
    } finally {
      client.disconnect();
      await Promise.all(roles.map((role) => role.stop('SIGTERM')));
      await redis.stop();
    }
  },
);
