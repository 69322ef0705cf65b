import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { admitCaller, ANY_MCP_CALLER, MCP_SCOPE } from '../../../call/access.ts';
import type { AdmittedCall } from '../../../call/call.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import { uriOfTask } from '../../../subscriptions/task-status-uri.ts';
import { readResource } from '../../../resources/read-resource.ts';

/** As many resources and tasks as a session of the earlier revisions subscribes to. */
const MAX_NAMED = 100;

const names = z.array(z.string().min(1).max(4_096));

/** `params` of `subscriptions/listen` (MCP 2026-07-28; `taskIds` is the extension's for tasks). */
export const listenSchema = z.looseObject({
  params: z.looseObject({
    notifications: z.looseObject({
      toolsListChanged: z.boolean().optional(),
      promptsListChanged: z.boolean().optional(),
      resourcesListChanged: z.boolean().optional(),
      resourceSubscriptions: names.optional(),
      taskIds: names.optional(),
    }),
  }),
});
export type ListenFilter = z.output<typeof listenSchema>['params']['notifications'];

/**
 * The part of a filter that is served: lists that this caller may list, and resources and tasks that it may read. Each of these costs what it
 * costs a session to subscribe to one. Errors: `limit_subscriptions`, those of reading but what the caller may not or cannot read.
 */
export async function acknowledgedFilter(filter: ListenFilter, call: AdmittedCall): Promise<ListenFilter> {
  const { toolsListChanged, promptsListChanged, resourcesListChanged } = filter;
  const uris = [...new Set(filter.resourceSubscriptions)];
  const taskIds = [...new Set(filter.taskIds)];
  if (uris.length + taskIds.length > MAX_NAMED) {
    const message = `A stream tells of ${MAX_NAMED} resources and tasks at most, and these are ${uris.length + taskIds.length}. Open several.`;
    throw new BatonError('limit_subscriptions', message, { limit: 'subscriptions', most: MAX_NAMED });
  }
  const readable = await readableOf([...uris, ...taskIds.map(uriOfTask)], call);
  return {
    ...(toolsListChanged === true && { toolsListChanged }),
    ...(promptsListChanged === true &&
      MCP_SCOPE.some((scope) => call.identity.scopes.has(scope)) && { promptsListChanged }),
    ...(resourcesListChanged === true && { resourcesListChanged }),
    ...(uris.length > 0 && { resourceSubscriptions: uris.filter((uri) => readable.has(uri)) }),
    ...(taskIds.length > 0 && { taskIds: taskIds.filter((id) => readable.has(uriOfTask(id))) }),
  };
}

async function readableOf(uris: readonly string[], call: AdmittedCall): Promise<ReadonlySet<string>> {
  const readable = new Set<string>();
  for (const [at, uri] of uris.entries()) {
    if (at > 0) await admitCaller({ caller: call.caller.forFurtherCall() }, ANY_MCP_CALLER);
    try {
      await readResource(uri, call);
      readable.add(uri);
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
    }
  }
  return readable;
}

/** There is no such resource, or it is not this caller's. */
function isUnreadable(thrown: unknown): boolean {
  if (thrown instanceof RpcError) return thrown.code === -32602 || thrown.code === -32002;
  return thrown instanceof BatonError && [403, 404, 410].includes(thrown.row.http);
}
