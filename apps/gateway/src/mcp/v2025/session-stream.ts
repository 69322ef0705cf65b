import { BatonError, isEnded } from '@baton/protocol';
import type { AdmittedCall } from '../../call/call.ts';
import { sseMessage } from '../../edge/streams/sse.ts';
import type { Notification, StreamFormat } from '../../subscriptions/notification-writer.ts';
import { statusUriOf, taskOfStatusUri } from '../../subscriptions/task-status-uri.ts';
import { toMcpTask } from '../../tasks/mcp-task.ts';

/**
 * How the stream of a session is written: resources and lists by their names, and a task that the session asked for by its status (MCP 2025-11-25,
 * basic/utilities/tasks, Task Status Notification), for the last time when it has ended.
 */
export function formatOfSession(call: AdmittedCall, sessionId: string): StreamFormat {
  return {
    encode: (notification: Notification) => {
      const { params } = notification;
      const taskId = params && taskOfStatusUri(params.uri);
      if (taskId === undefined) return messageOf(notification);
      return async () => messageOf(await readStatus(taskId, sessionId, call));
    },
  };
}

/**
 * Has a session told of a task that it began. A session is told of as many as it may be subscribed to, and needs no telling: what fails is left out.
 */
export async function subscribeToStatus(
  taskId: string,
  { caller, tenant, sessionId }: Pick<AdmittedCall, 'caller' | 'tenant' | 'sessionId'>,
): Promise<void> {
  if (sessionId === undefined) return;
  const { sessionSubscriptions } = tenant;
  await sessionSubscriptions
    .subscribe(caller.heldIdentity(), sessionId, statusUriOf(taskId))
    .catch((thrown: unknown) => {
      if (!(thrown instanceof BatonError)) throw thrown;
    });
}

async function readStatus(
  taskId: string,
  sessionId: string,
  { identity, tenant }: AdmittedCall,
): Promise<object> {
  const stop = () => tenant.sessionSubscriptions.unsubscribe(sessionId, statusUriOf(taskId));
  try {
    const view = await tenant.tasks.read(identity, taskId, '', 'none');
    if (isEnded(view.status)) await stop();
    return { method: 'notifications/tasks/status', params: toMcpTask(view, tenant.lifetimes) };
  } catch (thrown) {
    if (thrown instanceof BatonError && thrown.code === 'task_not_found') await stop();
    throw thrown;
  }
}

function messageOf(notification: object): string {
  return sseMessage(JSON.stringify({ jsonrpc: '2.0', ...notification }));
}
