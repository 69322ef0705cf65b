import { setTimeout as delay } from 'node:timers/promises';
import { hasEnded } from '../final-state.ts';
import type { Member } from '../member.ts';
import type { Patch } from '../release.ts';
import type { Mutation } from './mutation.ts';

const out = (script: string): Patch => ({
  file: `scripts/${script}.lua`,
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
  patches: [out('park'), out('settle'), out('commit')],
  fleet: { gateways: [{}], workers: 2 },
  async play({ fleet, hand }) {
    await Promise.all(fleet.workers.map((worker) => worker.start()));
    // Redis knows the scripts from here on: a command that it did not know would only be answered with NOSCRIPT.
    for (let times = 0; times < 2; times++) {
      const known = await hand.startTasks(1, 'gateway-0');
      for (const task of known) await hand.answer(task, 'right', 'gateway-0');
      await hand.until(known, hasEnded, 'gateway-0');
    }
    const tasks = await hand.startTasks(10, 'gateway-0');
    const stopped = firstAtWork(fleet.workers);
    for (const [n, task] of tasks.entries())
      await hand.answer(task, n % 2 === 0 ? 'right' : 'wrong', 'gateway-0');
    const first = await stopped;
    const goneOn = (status: string) => hasEnded(status) || status === 'input_required';
    if (!(await hand.until(tasks, goneOn, 'gateway-0'))) throw new Error('nobody took the tasks over');
    const before = first.link.sentAboutTasks;
    first.resume();
    await saidAll(first, before);
  },
};

/** The worker that is the first to load a task, stopped before it has got it. */
function firstAtWork(workers: readonly Member[]): Promise<Member> {
  return new Promise((resolve) => {
    let found = false;
    for (const worker of workers) {
      worker.link.onTask(() => {
        if (found) return;
        found = true;
        worker.pause();
        resolve(worker);
      });
    }
  });
}

/** Waits until a worker has written what it had loaded, and has nothing more to say of tasks for a second. */
async function saidAll({ link }: Member, before: number): Promise<void> {
  let last = before;
  for (let quiet = 0, waited = 0; quiet < 10 && waited < 150; waited++) {
    await delay(100);
    quiet = link.sentAboutTasks === last && last > before ? quiet + 1 : 0;
    last = link.sentAboutTasks;
  }
}
