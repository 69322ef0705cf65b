import type { Identity } from '@baton/store';
import type { Call } from '../call/call.ts';
import { waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';

/**
 * Has a task that failed go on from its journal, and waits up to `waitMs` for what comes of it: its next request, or its end.
 * `replayed`: this caller has retried it before, and it has not ended since. Errors: those of `TaskRetries.retry`.
 */
export async function retryTask(call: Call, identity: Identity, taskId: string, waitMs: number) {
  const { tasks, taskRetries } = call.tenant;
  const { inbox } = call.services.store;
  const subscription = inbox.subscribe(tasks.topic(taskId), identity.admittedBy);
  try {
    const { event, replayed } = await taskRetries.retry(identity, taskId, waitMs > 0 ? inbox.channel : '');
    const wait = { event, waitMs, registered: !replayed && waitMs > 0 };
    await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    return { view: await tasks.read(identity, taskId), replayed };
  } finally {
    subscription.close();
  }
}
