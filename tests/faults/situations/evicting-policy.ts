import { Redis } from 'ioredis';
import type { Claims, Situation } from './claims.ts';
import { call, Rig, until } from './rig.ts';

/** A Redis that evicts would throw parked work away: nothing starts on it, and what runs says so. */
export const evictingPolicy: Situation = {
  name: 'evicting-policy',
  async run(claims, entry) {
    const policies = ['allkeys-lru', 'volatile-ttl'];
    await Promise.all(policies.map((policy) => neverStarts(claims, entry, policy)));
    await whileItRuns(claims, await Rig.start(entry));
  },
};

async function neverStarts(claims: Claims, entry: string, policy: string): Promise<void> {
  const rig = await Rig.start(entry, ['--maxmemory-policy', policy]);
  const roles = ['gateway', 'worker'] as const;
  const ends = await Promise.all(roles.map((role) => rig.ending(role)));
  for (const [index, { code, said }] of ends.entries()) {
    const named =
      said.includes(`maxmemory-policy ${policy}`) && said.includes('Set maxmemory-policy noeviction');
    claims.claim(code === 78 && named, `a ${roles[index]} never starts on ${policy}, and names the way out`);
  }
  await rig.stop();
}

async function whileItRuns(claims: Claims, rig: Rig): Promise<void> {
  const redis = new Redis(rig.redisUrl.replace('unix://', ''));
  try {
    const gateway = await rig.begin('gateway');
    const worker = await rig.begin('worker', { BATON_HEALTH_PORT: '0' });
    const key = await rig.tenant(gateway.url, 'acme');
    const readiness = async () => {
      const response = await fetch(`${gateway.url}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    claims.claim((await readiness()).startsWith('200'), 'a gateway on noeviction is ready');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const unready = await readiness();
    claims.claim(
      /^503.*maxmemory-policy allkeys-lru/.test(unready),
      'it is not ready once the policy evicts',
      unready,
    );
    const logged = (output: string[]) =>
      output.some((line) => /not to be trusted.*|.*allkeys-lru/.test(line));
    const heard = await until(async () => logged(gateway.output) && logged(worker.output), 12_000, 100);
    claims.claim(heard, 'gateway and worker log it within 12 s');
    const parked = await call(gateway.url, key, 'bench_echo', { text: 'still' });
    claims.claim(
      parked.status === 200,
      'who calls all the same is served: nothing is lost by ending what runs',
    );
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    claims.claim(
      (await readiness()).startsWith('200'),
      'it is ready again by itself when the policy is mended',
    );
  } finally {
    redis.disconnect();
    await rig.stop();
  }
}
