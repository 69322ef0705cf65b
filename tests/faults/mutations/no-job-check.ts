import { hasEnded } from '../checker/final-state.ts';
import type { Mutation } from './mutation.ts';

/**
 * I2: nobody looks for what stands ready without a job. A gateway dies between ACCEPT and the job, which is the only one:
 * the answers after it find that a job was asked for, and add none.
 */
export const noJobCheck: Mutation = {
  name: 'check of jobs out',
  invariant: 'I2',
  patches: [
    {
      file: 'program',
      from: 'await shard.checkJobs();',
      to: '',
    },
  ],
  clusterOptions: { gateways: [{}, {}], workers: 1 },
  async runScenario({ cluster, client }) {
    const dying = cluster.getProcess('gateway-0');
    const tasks = await client.startTasks(10, 'gateway-1');
    const [first, ...others] = tasks;
    if (first === undefined) throw new Error('no task');
    // Redis knows the script from here on: one that it did not know would only be answered with NOSCRIPT.
    const nothing = { ...first, interactionId: first.interactionId.replace(/1$/, '9') };
    await client.answer(nothing, 'right', 'gateway-0');
    dying.redisProxy.onNextTaskCommand(() => dying.redisProxy.hold('replies'));
    const unheard = client.answer(first, 'right', 'gateway-0');
    // Redis has taken it when the task no longer waits for its answer.
    if (!(await client.waitForStatus([first], (status) => status === 'working', 'gateway-1')))
      throw new Error('the answer was not accepted');
    await dying.stop('SIGKILL');
    await unheard;
    for (const task of [first, ...others]) await client.answer(task, 'right', 'gateway-1');
    await cluster.getProcess('worker-0').start();
    await client.waitForStatus(tasks, hasEnded, 'gateway-1', 10_000);
  },
};
