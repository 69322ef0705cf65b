import type { TaskEnd } from '@baton/protocol';
import type { Identity, Listener, TaskView } from '@baton/store';
import type { Call } from '../context.ts';

/** Reads a task that this call has a right to, whoever started it: the script before said so. */
const VOUCHED: Identity = { principal: '', scopes: new Set(['agent']) };

/**
 * Waits until a task has consumed `event` and then stands still, that is until it ended or waits for someone outside,
 * and gives how it stands then, or when `waitMs` are over or the call is aborted.
 * `listener` has listened since before the event; `registered` says that the event's own script registered for a notice.
 */
export async function waitForTask(
  call: Call,
  taskId: string,
  listener: Listener,
  wait: { event: number; waitMs: number; registered: boolean },
): Promise<TaskView> {
  const { tasks } = call.tenant;
  const { channel } = call.services.store.inbox;
  const deadline = performance.now() + wait.waitMs;
  for (let listening = wait.registered; ; listening = true) {
    if (listening) {
      const notice = await listener.next(deadline - performance.now(), call.signal());
      if (notice === 'over') return tasks.read(VOUCHED, taskId);
      if (notice !== 'look' && notice.end !== undefined) return viewOfEnd(taskId, notice.end);
    }
    const view = await tasks.read(VOUCHED, taskId, channel);
    if (view.status === 'working') continue;
    if (view.status !== 'input_required' || view.seen >= wait.event) return view;
  }
}

/** A notice tells how a task ended, which is all that its waiter shows. */
function viewOfEnd(taskId: string, end: TaskEnd): TaskView {
  return { taskId, principal: '', operation: '', createdAt: 0, updatedAt: 0, expiresAt: 0, seen: 0, ...end };
}
