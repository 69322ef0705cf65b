import type { TaskEnd } from '@baton/protocol';
import type { Identity, InboxSubscription, TaskView } from '@baton/store';
import type { Call } from '../call/call.ts';

/** Reads a task whoever started it: the script that ran before gave this call the right to. */
const SYSTEM_IDENTITY: Identity = { principal: '', scopes: new Set(['agent']) };

/**
 * Waits until a task has consumed `event` and then ended or waits for someone outside, until `waitMs` are over or until the
 * call is aborted, and gives the task as it is then. `subscription` began before the event; `registered` says that the
 * event's own script registered this replica for an update.
 */
export async function waitForTask(
  call: Call,
  taskId: string,
  subscription: InboxSubscription,
  wait: { event: number; waitMs: number; registered: boolean },
): Promise<TaskView> {
  const { tasks } = call.tenant;
  const { channel } = call.services.store.inbox;
  const deadline = performance.now() + wait.waitMs;
  for (let subscribed = wait.registered; ; subscribed = true) {
    if (subscribed) {
      const update = await subscription.next(deadline - performance.now(), call.signal());
      if (update === 'ended') return tasks.read(SYSTEM_IDENTITY, taskId);
      if (update !== 'reread' && update.end !== undefined) return endedTaskView(taskId, update.end);
    }
    const view = await tasks.read(SYSTEM_IDENTITY, taskId, channel);
    if (view.status === 'working') continue;
    if (view.status !== 'input_required' || view.seen >= wait.event) return view;
  }
}

/** The task of an update that ended it: its end is all that a waiter shows. */
function endedTaskView(taskId: string, end: TaskEnd): TaskView {
  return { taskId, principal: '', operation: '', createdAt: 0, updatedAt: 0, expiresAt: 0, seen: 0, ...end };
}
