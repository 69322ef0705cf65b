import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import type { History } from '../checker/history.ts';
import type { ManagedProcess } from '../cluster/managed-process.ts';
import { describeFault, type Fault, type FaultSchedule } from './fault-schedule.ts';

/** So long a fault that is to strike on a command about a task waits for one. */
const PATIENCE_MS = 1_000;
const STUTTER_MS = 40;

/** Carries out a schedule; when it resolves, everything that was struck is whole again. */
export async function runNemesis(cluster: Cluster, faults: FaultSchedule, history: History): Promise<void> {
  const lane = async (list: readonly Fault[]) => {
    for (const fault of list) {
      await delay(fault.pauseMs);
      if (fault.waitForTaskCommand)
        await onTask(fault.target === 'redis' ? cluster.processes : [cluster.getProcess(fault.target)]);
      history.add({ type: 'fault', target: fault.target, what: describeFault(fault) });
      if (fault.target === 'redis') await applyRedisFault(cluster, fault);
      else await applyProcessFault(cluster.getProcess(fault.target), fault);
    }
  };
  await Promise.all([lane(faults.gateways), lane(faults.workers), lane(faults.redis)]);
}

/** Resolves right after one of them has sent a command about a task. */
function onTask(members: readonly ManagedProcess[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    for (const { redisProxy } of members) {
      redisProxy.onNextTaskCommand(() => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

async function applyProcessFault(process: ManagedProcess, fault: Fault): Promise<void> {
  const { redisProxy } = process;
  switch (fault.kind) {
    case 'kill':
      return process.restart('SIGKILL', fault.durationMs);
    case 'terminate':
      return process.restart('SIGTERM', fault.durationMs);
    case 'stop':
      process.pause();
      await delay(fault.durationMs);
      return process.resume();
    case 'stutter':
      for (let n = 0; n * 2 * STUTTER_MS < fault.durationMs; n++) {
        process.pause();
        await delay(STUTTER_MS);
        process.resume();
        await delay(STUTTER_MS);
      }
      return;
    case 'slow':
      redisProxy.setDelay(20 + (fault.durationMs % 180));
      await delay(fault.durationMs);
      return redisProxy.setDelay(0);
    case 'cut':
      return redisProxy.dropConnections();
    case 'hold':
      process.recordDown();
      redisProxy.hold(fault.durationMs % 2 === 0 ? 'replies' : 'requests');
      await delay(fault.durationMs);
      // Half of the time what was held is lost: it never got there, or nobody hears of it.
      if (fault.durationMs % 4 < 2) redisProxy.dropConnections();
      redisProxy.release();
      return process.recordUp();
  }
}

async function applyRedisFault({ redis }: Cluster, fault: Fault): Promise<void> {
  if (fault.kind === 'kill') return redis.restart('SIGKILL', fault.durationMs);
  if (fault.kind === 'terminate') return redis.restart('SIGTERM', fault.durationMs);
  redis.pause();
  await delay(fault.durationMs);
  redis.resume();
}
