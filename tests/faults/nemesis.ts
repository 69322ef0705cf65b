import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { History } from './history.ts';
import type { Member } from './member.ts';
import { describe, type Fault, type Schedule } from './schedule.ts';

/** So long a fault that is to strike on a command about a task waits for one. */
const PATIENCE_MS = 1_000;
const STUTTER_MS = 40;

/** Carries out a schedule; when it resolves, everything that was struck is whole again. */
export async function strike(fleet: Fleet, faults: Schedule, history: History): Promise<void> {
  const lane = async (list: readonly Fault[]) => {
    for (const fault of list) {
      await delay(fault.after);
      if (fault.onTask) await onTask(fault.target === 'redis' ? fleet.members : [fleet.member(fault.target)]);
      history.add({ type: 'fault', target: fault.target, what: describe(fault) });
      if (fault.target === 'redis') await strikeRedis(fleet, fault);
      else await strikeMember(fleet.member(fault.target), fault);
    }
  };
  await Promise.all([lane(faults.gateways), lane(faults.workers), lane(faults.redis)]);
}

/** Resolves right after one of them has sent a command about a task. */
function onTask(members: readonly Member[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    for (const { link } of members) {
      link.onTask(() => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

async function strikeMember(member: Member, fault: Fault): Promise<void> {
  const { link } = member;
  switch (fault.what) {
    case 'kill':
      return member.restart('SIGKILL', fault.for);
    case 'terminate':
      return member.restart('SIGTERM', fault.for);
    case 'stop':
      member.pause();
      await delay(fault.for);
      return member.resume();
    case 'stutter':
      for (let n = 0; n * 2 * STUTTER_MS < fault.for; n++) {
        member.pause();
        await delay(STUTTER_MS);
        member.resume();
        await delay(STUTTER_MS);
      }
      return;
    case 'slow':
      link.slow(20 + (fault.for % 180));
      await delay(fault.for);
      return link.slow(0);
    case 'cut':
      return link.cut();
    case 'hold':
      member.out();
      link.hold(fault.for % 2 === 0 ? 'replies' : 'requests');
      await delay(fault.for);
      // Half of the time what was held is lost: it never got there, or nobody hears of it.
      if (fault.for % 4 < 2) link.cut();
      link.release();
      return member.back();
  }
}

async function strikeRedis({ redis }: Fleet, fault: Fault): Promise<void> {
  if (fault.what === 'kill') return redis.restart('SIGKILL', fault.for);
  if (fault.what === 'terminate') return redis.restart('SIGTERM', fault.for);
  redis.pause();
  await delay(fault.for);
  redis.resume();
}
