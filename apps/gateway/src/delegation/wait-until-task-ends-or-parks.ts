import { isEnded, type TaskEnd } from '@baton/protocol';
import type { Identity, InboxSubscription, TaskView } from '@baton/store';
import type { Call } from '../call/call.ts';
import { msUntilDeadlineOrKeyExpiry } from './ms-until-deadline-or-key-expiry.ts';
import { withStreamProgress } from '../streaming/stream-progress.ts';

/**
 * Waits until a task has consumed `event` and then ended or waits for someone outside or for room, until `waitMs` are over or until the
 * call is aborted, and gives the task as it is then. Meanwhile the call's progress is reported, if it asked for that.
 * `subscription` began before the event; `registered` says that the event's own script registered this replica for an update.
 * Errors: those of reading a task, and of an admission that ended meanwhile, as soon as it does.
 */
export function waitUntilTaskEndsOrParks(
  call: Call,
  taskId: string,
  subscription: InboxSubscription,
  identity: Identity,
  wait: TaskWait,
): Promise<TaskView> {
  const waiting = () => waitForEndOrPark(call, taskId, subscription, identity, wait);
  if (call.reportProgress === undefined || wait.waitMs === 0) return waiting();
  return withStreamProgress(call, taskId, identity, waiting);
}

interface TaskWait {
  readonly event: number;
  readonly waitMs: number;
  readonly registered: boolean;
}

async function waitForEndOrPark(
  call: Call,
  taskId: string,
  subscription: InboxSubscription,
  identity: Identity,
  wait: TaskWait,
): Promise<TaskView> {
  const { tasks } = call.tenant;
  const { channel } = call.services.store.inbox;
  const deadline = performance.now() + wait.waitMs;
  for (let subscribed = wait.registered; ; subscribed = true) {
    if (subscribed) {
      const update = await subscription.next(msUntilDeadlineOrKeyExpiry(deadline, identity), call.signal());
      const isOver = performance.now() >= deadline || call.signal().aborted;
      if (update === 'ended' && isOver) return tasks.read(identity, taskId);
      // An end of the key would have come before the update: it is published on the same connection, and asks for a read.
      const isCurrent =
        typeof update === 'object' && msUntilDeadlineOrKeyExpiry(Number.POSITIVE_INFINITY, identity) > 0;
      if (isCurrent && update.end !== undefined) return endedTaskView(taskId, update.end);
      if (isCurrent && update.parked !== undefined && update.seen >= wait.event)
        return tasks.showParked(taskId, update.seen, update.parked);
    }
    const view = await tasks.read(identity, taskId, channel);
    // Who waits for what comes of an answer is told that there is no room for it; who waits for the task waits on.
    const isTold = view.status === 'working' && view.waitsForRoom !== undefined && wait.event > 0;
    if (view.status === 'working' && !isTold) continue;
    if (isEnded(view.status) || view.seen >= wait.event) return view;
  }
}

/** The task of an update that ended it: its end is all that a waiter shows. */
export function endedTaskView(taskId: string, end: TaskEnd): TaskView {
  return { taskId, principal: '', operation: '', createdAt: 0, updatedAt: 0, expiresAt: 0, seen: 0, ...end };
}
