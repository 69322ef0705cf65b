import { hasEnded } from '../checker/final-state.ts';
import { DEADLINE_GRACE_MS } from '../checker/deadlines.ts';
import type { Mutation } from './mutation.ts';

const LIFE_MS = 1_500;

/** Beyond the grace period, so that a stall of the machine cannot excuse the delay. */
const BEYOND_MS = 4_000;

/** I3: the sweep finds no due tenant. Nobody answers. */
export const noDeadlineSweep: Mutation = {
  name: 'no deadline sweep',
  invariant: 'I3',
  patches: [
    {
      file: 'lua/deadline/list_due_tenants.lua',
      from: "return redis.call('ZRANGEBYSCORE', K_due, '-inf', now, 'LIMIT', 0, A_limit)",
      to: 'return {}',
    },
  ],
  deploymentOptions: { gateways: [{ task: LIFE_MS, interaction: LIFE_MS }], workers: 1 },
  async runScenario({ deployment, client }) {
    await deployment.getProcess('worker-0').start();
    const tasks = await client.startTasks(10, 'gateway-0');
    await client.waitForStatus(tasks, hasEnded, 'gateway-0', LIFE_MS + DEADLINE_GRACE_MS + BEYOND_MS);
  },
};
