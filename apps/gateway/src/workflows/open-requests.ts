import { BatonError, type JsonObject } from '@baton/protocol';
import type { WorkflowProgress } from '@baton/workflows';
import type { AdmittedCall } from '../call/call.ts';

/** The tasks of so many steps are read, in the order of the plan. */
const MAX_READ_TASKS = 20;

/**
 * The progress in which each step that waits for its task has the request that this waits for now, by its id and its kind: since it
 * was recorded, that may have been answered, or the task retried. A step has none whose task waits for no request, or was not read.
 */
export async function withOpenRequests(
  progress: WorkflowProgress,
  call: AdmittedCall,
): Promise<WorkflowProgress> {
  const waiting = progress.steps.flatMap((state) => (state.status === 'delegated' ? [state.taskId] : []));
  const read = waiting.slice(0, MAX_READ_TASKS);
  const requests = new Map(
    await Promise.all(read.map(async (taskId) => [taskId, await openRequestOf(taskId, call)] as const)),
  );
  const steps = progress.steps.map((state) =>
    state.status === 'delegated' ? { ...state, directive: requests.get(state.taskId) } : state,
  );
  return { ...progress, steps };
}

async function openRequestOf(
  taskId: string,
  { tenant, identity }: AdmittedCall,
): Promise<JsonObject | undefined> {
  try {
    const view = await tenant.tasks.read(identity, taskId, '', 'summaries');
    const [first] = 'pending' in view ? view.pending : [];
    return first && { interactionId: first.interactionId, serviceType: first.request.call.serviceType };
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'task_not_found') return undefined;
    throw thrown;
  }
}
