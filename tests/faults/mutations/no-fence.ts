import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded } from '../checker/final-state.ts';
import type { RecordedProcess } from '../deployment/recorded-process.ts';
import type { Patch } from '../../processes/patched-release.ts';
import type { Mutation } from './mutation.ts';

const removeFence = (script: string): Patch => ({
  file: `lua/${script}.lua`,
  from: /if (task\.)?fence ~= A_fence then return \{'stale'\} end/,
  to: '',
});

/**
 * I1: writes of a segment are not checked against its fence. A worker is stopped between dequeue and its writes for longer
 * than BullMQ's lock on its job; the other worker takes its tasks over and ends or continues them; then the first resumes.
 */
export const noFence: Mutation = {
  name: 'no fence',
  invariant: 'I1',
  patches: [removeFence('task/park'), removeFence('task/settle'), removeFence('project/commit')],
  deploymentOptions: { gateways: [{}], workers: 2 },
  async runScenario({ deployment, client }) {
    await Promise.all(deployment.workers.map((worker) => worker.start()));
    // Loads the scripts: a script that Redis does not know would only be answered with NOSCRIPT.
    for (let times = 0; times < 2; times++) {
      const warmUp = await client.startTasks(1, 'gateway-0');
      for (const task of warmUp) await client.answer(task, 'right', 'gateway-0');
      await client.waitForStatus(warmUp, hasEnded, 'gateway-0');
    }
    const tasks = await client.startTasks(10, 'gateway-0');
    const stopped = pauseFirstWorker(deployment.workers);
    for (const [n, task] of tasks.entries())
      await client.answer(task, n % 2 === 0 ? 'right' : 'wrong', 'gateway-0');
    const first = await stopped;
    const continued = (status: string) => hasEnded(status) || status === 'input_required';
    if (!(await client.waitForStatus(tasks, continued, 'gateway-0')))
      throw new Error('no worker took the tasks over');
    const before = first.redisProxy.taskCommands;
    first.resume();
    await waitUntilQuiet(first, before);
  },
};

/** Stops the first worker that loads a task, before it has the reply. */
function pauseFirstWorker(workers: readonly RecordedProcess[]): Promise<RecordedProcess> {
  return new Promise((resolve) => {
    let found = false;
    for (const worker of workers) {
      worker.redisProxy.onNextTaskCommand(() => {
        if (found) return;
        found = true;
        worker.pause();
        resolve(worker);
      });
    }
  });
}

/** Waits until a worker has written what it had loaded and has sent no command about a task for a second. */
async function waitUntilQuiet({ redisProxy }: RecordedProcess, before: number): Promise<void> {
  let last = before;
  for (let quiet = 0, waited = 0; quiet < 10 && waited < 150; waited++) {
    await delay(100);
    quiet = redisProxy.taskCommands === last && last > before ? quiet + 1 : 0;
    last = redisProxy.taskCommands;
  }
}
