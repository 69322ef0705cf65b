import type { TaskEnd } from '@baton/protocol';
import type { Identity, TaskSubscription, TaskView } from '@baton/store';
import type { Call } from '../call/call.ts';

/** Reads a task that this call has a right to, whoever started it: the script before said so. */
const SYSTEM_IDENTITY: Identity = { principal: '', scopes: new Set(['agent']) };

/**
 * Waits until a task has consumed `event` and then stands still, that is until it ended or waits for someone outside,
 * and gives how it stands then, or when `waitMs` are over or the call is aborted.
 * `listener` has listened since before the event; `registered` says that the event's own script registered for a notice.
 */
export async function waitForTask(
  call: Call,
  taskId: string,
  listener: TaskSubscription,
  wait: { event: number; waitMs: number; registered: boolean },
): Promise<TaskView> {
  const { tasks } = call.tenant;
  const { channel } = call.services.store.inbox;
  const deadline = performance.now() + wait.waitMs;
  for (let listening = wait.registered; ; listening = true) {
    if (listening) {
      const notice = await listener.next(deadline - performance.now(), call.signal());
      if (notice === 'ended') return tasks.read(SYSTEM_IDENTITY, taskId);
      if (notice !== 'reread' && notice.end !== undefined) return endedTaskView(taskId, notice.end);
    }
    const view = await tasks.read(SYSTEM_IDENTITY, taskId, channel);
    if (view.status === 'working') continue;
    if (view.status !== 'input_required' || view.seen >= wait.event) return view;
  }
}

/** A notice tells how a task ended, which is all that its waiter shows. */
function endedTaskView(taskId: string, end: TaskEnd): TaskView {
  return { taskId, principal: '', operation: '', createdAt: 0, updatedAt: 0, expiresAt: 0, seen: 0, ...end };
}
