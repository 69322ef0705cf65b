import { setTimeout as delay } from 'node:timers/promises';
import type { ProxiedDeployment } from '../deployment/proxied-deployment.ts';
import type { History } from '../checker/history.ts';
import type { RecordedProcess } from '../deployment/recorded-process.ts';
import { describeFault, type Fault, type FaultSchedule } from './fault-schedule.ts';

/** How long a fault waits for a command about a task. */
const PATIENCE_MS = 1_000;
const STUTTER_MS = 40;

/** Carries out a schedule of faults; resolves when all of them have ended. */
export async function runNemesis(
  deployment: ProxiedDeployment,
  faults: FaultSchedule,
  history: History,
): Promise<void> {
  const runLane = async (list: readonly Fault[]) => {
    for (const fault of list) {
      await delay(fault.pauseMs);
      if (fault.waitForTaskCommand)
        await onTask(fault.target === 'redis' ? deployment.processes : [deployment.getProcess(fault.target)]);
      history.add({ type: 'fault', target: fault.target, what: describeFault(fault) });
      if (fault.target === 'redis') await applyRedisFault(deployment, fault);
      else await applyProcessFault(deployment.getProcess(fault.target), fault);
    }
  };
  await Promise.all([runLane(faults.gateways), runLane(faults.workers), runLane(faults.redis)]);
}

/** Resolves right after one of the processes has sent a command about a task. */
function onTask(members: readonly RecordedProcess[]): Promise<void> {
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

async function applyProcessFault(process: RecordedProcess, fault: Fault): Promise<void> {
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
      redisProxy.setDelay(delayOf(fault));
      await delay(fault.durationMs);
      return redisProxy.setDelay(0);
    case 'cut':
      return redisProxy.dropConnections();
    case 'hold':
      process.recordDown();
      redisProxy.hold(fault.durationMs % 2 === 0 ? 'replies' : 'requests');
      await delay(fault.durationMs);
      // Half of these faults lose the held bytes, requests or replies.
      if (fault.durationMs % 4 < 2) redisProxy.dropConnections();
      redisProxy.release();
      return process.recordUp();
  }
}

/** Between 20 and 200 ms in each direction. */
function delayOf({ durationMs }: Fault): number {
  return 20 + (durationMs % 180);
}

async function applyRedisFault({ redis, processes }: ProxiedDeployment, fault: Fault): Promise<void> {
  if (fault.kind === 'slow') {
    for (const { redisProxy } of processes) redisProxy.setRedisDelay(delayOf(fault));
    await delay(fault.durationMs);
    for (const { redisProxy } of processes) redisProxy.setRedisDelay(0);
    return;
  }
  if (fault.kind === 'kill') return redis.restart('SIGKILL', fault.durationMs);
  if (fault.kind === 'terminate') return redis.restart('SIGTERM', fault.durationMs);
  redis.pause();
  await delay(fault.durationMs);
  redis.resume();
}
