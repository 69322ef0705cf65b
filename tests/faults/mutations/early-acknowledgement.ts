import { hasEnded } from '../checker/final-state.ts';
import type { Mutation } from './mutation.ts';

/**
 * I4: a gateway confirms an answer before Redis has accepted it, like a write-behind cache. Gateway and Redis are killed
 * right after the confirmation.
 */
export const earlyAcknowledgement: Mutation = {
  name: 'acknowledgement before the script',
  invariant: 'I4',
  patches: [
    {
      file: 'program',
      from: /async accept\((\w+), (\w+)\) \{/,
      to: `async accept($1, $2) {
    await $1.admit(['mcp', 'agent']);
    const { taskId } = this.parseId($2.interactionId);
    setTimeout(() => this.acceptLater($1, $2).catch(() => {}), 2000);
    return { replayed: false, event: 0, taskId };
  }
  async acceptLater($1, $2) {`,
    },
  ],
  deploymentOptions: { gateways: [{}], workers: 1 },
  async runScenario({ deployment, client }) {
    const tasks = await client.startTasks(10, 'gateway-0');
    await Promise.all(tasks.map((task) => client.answer(task, 'right', 'gateway-0')));
    await Promise.all([
      deployment.getProcess('gateway-0').restart('SIGKILL', 0),
      deployment.redis.restart('SIGKILL', 0),
      deployment.getProcess('worker-0').start(),
    ]);
    const still = (status: string) => hasEnded(status) || status === 'input_required';
    await client.waitForStatus(tasks, still, 'gateway-0');
  },
};
