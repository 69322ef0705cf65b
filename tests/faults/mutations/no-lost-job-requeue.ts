import { hasEnded } from '../checker/final-state.ts';
import type { Mutation } from './mutation.ts';

/**
 * I2: ready tasks without a job are not looked for. A gateway dies between ACCEPT_ANSWER and adding the job, the only one: later
 * answers find that a job was requested, and add none.
 */
export const noLostJobRequeue: Mutation = {
  name: 'no requeue of lost jobs',
  invariant: 'I2',
  patches: [
    {
      file: 'program',
      from: 'await shard.requeueLostJobs();',
      to: '',
    },
  ],
  deploymentOptions: { gateways: [{}, {}], workers: 1 },
  async runScenario({ deployment, client }) {
    const dying = deployment.getProcess('gateway-0');
    const tasks = await client.startTasks(10, 'gateway-1');
    const [first, ...others] = tasks;
    if (first === undefined) throw new Error('no task');
    // Loads the script: a script that Redis does not know would only be answered with NOSCRIPT.
    const unknownInteraction = { ...first, interactionId: first.interactionId.replace(/1$/, '9') };
    await client.answer(unknownInteraction, 'right', 'gateway-0');
    dying.redisProxy.onNextTaskCommand(() => dying.redisProxy.hold('replies'));
    const unanswered = client.answer(first, 'right', 'gateway-0');
    // The answer is accepted once the task no longer waits for it.
    if (!(await client.waitForStatus([first], (status) => status === 'working', 'gateway-1')))
      throw new Error('the answer was not accepted');
    await dying.stop();
    await unanswered;
    for (const task of [first, ...others]) await client.answer(task, 'right', 'gateway-1');
    await deployment.getProcess('worker-0').start();
    await client.waitForStatus(tasks, hasEnded, 'gateway-1', 10_000);
  },
};
