import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded } from '../checker/final-state.ts';
import type { ManagedProcess } from '../cluster/managed-process.ts';
import type { Patch } from '../../processes/patched-release.ts';
import type { Mutation } from './mutation.ts';

const removeFence = (script: string): Patch => ({
  file: `lua/${script}.lua`,
  from: "if task[1] ~= A_fence then return {'stale'} end",
  to: '',
});

/**
 * I1: what a segment writes is not held against its fence. A worker stops between DEQUEUE and what it writes, for longer
 * than BullMQ's lock on its job; the other one takes its tasks over and ends them, or asks anew; then the first one goes on.
 */
export const noFence: Mutation = {
  name: 'fence out',
  invariant: 'I1',
  patches: [removeFence('task/park'), removeFence('task/settle'), removeFence('project/commit')],
  clusterOptions: { gateways: [{}], workers: 2 },
  async runScenario({ cluster, client }) {
    await Promise.all(cluster.workers.map((worker) => worker.start()));
    // Redis knows the scripts from here on: a command that it did not know would only be answered with NOSCRIPT.
    for (let times = 0; times < 2; times++) {
      const known = await client.startTasks(1, 'gateway-0');
      for (const task of known) await client.answer(task, 'right', 'gateway-0');
      await client.waitForStatus(known, hasEnded, 'gateway-0');
    }
    const tasks = await client.startTasks(10, 'gateway-0');
    const stopped = pauseFirstWorker(cluster.workers);
    for (const [n, task] of tasks.entries())
      await client.answer(task, n % 2 === 0 ? 'right' : 'wrong', 'gateway-0');
    const first = await stopped;
    const goneOn = (status: string) => hasEnded(status) || status === 'input_required';
    if (!(await client.waitForStatus(tasks, goneOn, 'gateway-0')))
      throw new Error('nobody took the tasks over');
    const before = first.redisProxy.taskCommands;
    first.resume();
    await waitUntilQuiet(first, before);
  },
};

/** The worker that is the first to load a task, stopped before it has got it. */
function pauseFirstWorker(workers: readonly ManagedProcess[]): Promise<ManagedProcess> {
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

/** Waits until a worker has written what it had loaded, and has nothing more to say of tasks for a second. */
async function waitUntilQuiet({ redisProxy }: ManagedProcess, before: number): Promise<void> {
  let last = before;
  for (let quiet = 0, waited = 0; quiet < 10 && waited < 150; waited++) {
    await delay(100);
    quiet = redisProxy.taskCommands === last && last > before ? quiet + 1 : 0;
    last = redisProxy.taskCommands;
  }
}
