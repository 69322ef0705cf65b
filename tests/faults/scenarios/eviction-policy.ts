import { Redis } from 'ioredis';
import type { ScenarioReport, Scenario } from '../testbed/scenario.ts';
import { holdsWithin } from '../../harness/poll.ts';
import { Testbed } from '../testbed/testbed.ts';
import { tryCallTool } from '../testbed/tool-calls.ts';

/** A Redis that evicts would lose parked work: no process starts on one, and a running process reports it. */
export const evictionPolicy: Scenario = {
  name: 'eviction-policy',
  async run(report, entry) {
    const policies = ['allkeys-lru', 'volatile-ttl'];
    await Promise.all(policies.map((policy) => checkStartRefused(report, entry, policy)));
    await checkUnreadyWhileRunning(report, await Testbed.start(entry));
  },
};

async function checkStartRefused(report: ScenarioReport, entry: string, policy: string): Promise<void> {
  const testbed = await Testbed.start(entry, ['--maxmemory-policy', policy]);
  const roles = ['gateway', 'worker'] as const;
  const ends = await Promise.all(roles.map((role) => testbed.runToExit(role)));
  for (const [index, { code, output }] of ends.entries()) {
    const named =
      output.includes(`maxmemory-policy ${policy}`) && output.includes('Set maxmemory-policy noeviction');
    report.check(
      code === 78 && named,
      `a ${roles[index]} never starts on ${policy}, and names the setting to change`,
    );
  }
  await testbed.stop();
}

async function checkUnreadyWhileRunning(report: ScenarioReport, testbed: Testbed): Promise<void> {
  const redis = new Redis(testbed.redisUrl.replace('unix://', ''));
  try {
    const gateway = await testbed.startProcess('gateway');
    const worker = await testbed.startProcess('worker', { BATON_HEALTH_PORT: '0' });
    const key = await testbed.createTenant(gateway.url, 'acme');
    const readiness = async () => {
      const response = await fetch(`${gateway.url}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    report.check((await readiness()).startsWith('200'), 'a gateway on noeviction is ready');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const unready = await readiness();
    report.check(
      /^503.*maxmemory-policy allkeys-lru/.test(unready),
      'it is not ready once the policy evicts',
      unready,
    );
    const logged = (output: string[]) =>
      output.some((line) => /redis is not usable.*|.*allkeys-lru/.test(line));
    const received = await holdsWithin(
      async () => logged(gateway.output) && logged(worker.output),
      12_000,
      100,
    );
    report.check(received, 'gateway and worker log it within 12 s');
    const parked = await tryCallTool(gateway.url, key, 'bench_echo', { text: 'still' });
    report.check(parked.status === 200, 'calls are still served');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    report.check((await readiness()).startsWith('200'), 'it is ready again when the policy is corrected');
  } finally {
    redis.disconnect();
    await testbed.stop();
  }
}
