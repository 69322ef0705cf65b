import { parseInteractionId } from '@baton/protocol';
import type { Page } from '@baton/store';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import { readTaskStatusReply } from '../delegation/read-task-status-reply.ts';
import { describeInteractionWithRequest } from '../delegation/describe-interaction-with-request.ts';
import { isoTime } from '../delegation/iso-time.ts';
import { type Completion, defineResource, jsonBody } from './resource-kind.ts';

/** How many pages of ids a completion reads. */
const MAX_PAGES = 2;

/** Completes ids from the first pages of a list: older ids are not offered. */
const completeIds =
  <T>(
    read: (call: AdmittedCall, cursor: string | undefined) => Promise<Page<T>>,
    idOf: (item: T) => string,
  ): Completion =>
  async (_given, call) => {
    const values: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await read(call, cursor);
      values.push(...page.items.map(idOf));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return { values, partial: cursor !== undefined };
  };

/** A task, as the tool `task_status` shows it. */
export const taskResource = defineResource({
  template: 'baton://tasks/{taskId}',
  name: 'delegated-task',
  title: 'A task',
  description: 'How a task stands: its result when it is done, the request that it waits for when it waits.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.6 },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  completions: {
    taskId: completeIds(
      ({ tenant, identity }, cursor) => tenant.queries.tasks(identity, cursor),
      ({ taskId }) => taskId,
    ),
  },
  topic: ({ taskId = '' }) => `task ${taskId}`,
  mayChangeWith: () => true,
  read: async ({ taskId = '' }, call) => {
    const view = await call.tenant.tasks.read(call.identity, taskId);
    return {
      body: jsonBody(await readTaskStatusReply(call, view)),
      title: `Task of ${view.operation}`,
      lastModified: isoTime(view.updatedAt),
    };
  },
});

/** An interaction, as the tool `pending_interactions` shows it. */
export const interactionResource = defineResource({
  template: 'baton://interactions/{id}',
  name: 'interaction',
  title: 'A delegated request',
  description: 'One request that was handed to the agent, whole, and what became of it.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.7 },
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  completions: {
    id: completeIds(
      ({ tenant, identity }, cursor) => tenant.queries.pending.summaries(identity, { cursor }),
      ({ interactionId }) => interactionId,
    ),
  },
  topic: ({ id = '' }) => `task ${parseInteractionId(id)?.taskId ?? ''}`,
  mayChangeWith: () => true,
  read: async ({ id = '' }, { tenant, identity }) => {
    const record = await tenant.queries.interaction(identity, id);
    return {
      body: jsonBody(describeInteractionWithRequest(record)),
      title: `Request of ${record.operation}`,
      lastModified: isoTime(record.endedAt ?? record.createdAt),
    };
  },
});
