import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { admitCall, ANY_MCP_CALLER, MCP_OR_AGENT_SCOPE } from '../../../call/access.ts';
import type { Call } from '../../../call/call.ts';
import { keyOf } from '../../../edge/credential.ts';
import { requireStreamAccepted } from '../../../edge/streams/accept-header.ts';
import { sseMessage } from '../../../edge/streams/sse.ts';
import { parseRequest } from '../../../json-rpc/parse-request.ts';
import type { Notification, StreamFormat } from '../../../subscriptions/notification-writer.ts';
import { keyHolder } from '../../../subscriptions/stream-holder.ts';
import type { StreamRegistry } from '../../../subscriptions/stream-registry.ts';
import { requestSource } from '../../../subscriptions/stream-source.ts';
import { SERVER_INFO } from '../../dispatch/mcp-methods.ts';
import { requireTasks } from '../request/request-capabilities.ts';
import { detailedTask } from '../tasks/detailed-task.ts';
import { statusUriOf, taskOfStatusUri } from '../../../subscriptions/task-status-uri.ts';
import { acknowledgedFilter, type ListenFilter, listenSchema } from './listen-filter.ts';

export const LISTEN = 'subscriptions/listen';

/**
 * `subscriptions/listen` (MCP 2026-07-28): a stream of what the request names, on any replica, which first acknowledges what is served of it. It
 * tells once what may have changed before, and so misses nothing however often it is opened again; it ends with its connection, and
 * Redis holds nothing of it.
 * Errors: -32602 for params that are none, -32021, `limit_subscriptions`, `limit_streams`, `not_acceptable`, those of the admission.
 */
export async function listen(
  request: JSONRPCRequest,
  call: Call,
  reply: FastifyReply,
  streams: StreamRegistry,
): Promise<void> {
  requireStreamAccepted(reply.request);
  const admitted = await admitCall(call, ANY_MCP_CALLER);
  const { notifications } = parseRequest(listenSchema, request).params;
  if (notifications.taskIds !== undefined) requireTasks(call.of2026, 'notifications.taskIds');
  const filter = await acknowledgedFilter(notifications, admitted);
  const { resourceSubscriptions = [], taskIds = [] } = filter;
  const source = requestSource([...resourceSubscriptions, ...taskIds.map(statusUriOf)]);
  const holder = keyHolder(call.tenant, keyOf(reply.request), MCP_OR_AGENT_SCOPE);
  const by = { call, holder, identity: admitted.identity };
  await streams.open(source, by, reply, formatOf(request.id, filter, readTask));

  async function readTask(taskId: string): Promise<string> {
    return detailedTask(await call.tenant.tasks.read(admitted.identity, taskId), admitted);
  }
}

function formatOf(
  id: JSONRPCRequest['id'],
  filter: ListenFilter,
  readTask: (taskId: string) => Promise<string>,
): StreamFormat {
  const subscription = { [SUBSCRIPTION_ID_META_KEY]: id };
  const lists = new Map([
    ['notifications/tools/list_changed', filter.toolsListChanged],
    ['notifications/prompts/list_changed', filter.promptsListChanged],
    ['notifications/resources/list_changed', filter.resourcesListChanged],
  ]);
  const meta = `"_meta":${JSON.stringify(subscription)}`;
  /** `members`: of its params, as JSON. */
  const notify = (method: string, members = '') =>
    sseMessage(
      `{"jsonrpc":"2.0","method":"${method}","params":{${members}${members === '' ? '' : ','}${meta}}}`,
    );
  const stamp = { ...subscription, [SERVER_INFO_META_KEY]: SERVER_INFO };
  return {
    opening: notify('notifications/subscriptions/acknowledged', `"notifications":${JSON.stringify(filter)}`),
    closing: sseMessage(
      JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: stamp } }),
    ),
    encode: ({ method, params }: Notification) => {
      if (params === undefined) return lists.get(method) === true ? notify(method) : '';
      const taskId = taskOfStatusUri(params.uri);
      if (taskId === undefined) return notify(method, JSON.stringify(params).slice(1, -1));
      return async () => notify('notifications/tasks', await readTask(taskId));
    },
  };
}
