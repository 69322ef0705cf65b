import { parseInteractionId } from '@baton/protocol';
import type { Page } from '@baton/store';
import { iso, statusOf, wholeRequest } from '../delegation/present.ts';
import { type Completion, defineResource, json } from './resource.ts';

/** How many pages of ids are looked through to complete one. */
const PAGES = 2;

/** Ids out of the pages of a list; nobody types an id from long ago. */
const idsOf =
  <T>(
    read: (visit: Parameters<Completion>[1], cursor: string | undefined) => Promise<Page<T>>,
    idOf: (item: T) => string,
  ): Completion =>
  async (_given, visit) => {
    const values: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES; pages++) {
      const page = await read(visit, cursor);
      values.push(...page.items.map(idOf));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return { values, partial: cursor !== undefined };
  };

/** A task: what the tool `task_status` tells of it. */
export const delegatedTask = defineResource({
  template: 'baton://tasks/{taskId}',
  name: 'delegated-task',
  title: 'A task',
  description: 'How a task stands: its result when it is done, the request that it waits for when it waits.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.6 },
  need: ['mcp', 'agent'],
  completions: {
    taskId: idsOf(
      ({ call, identity }, cursor) => call.tenant.listing.tasks(identity, cursor),
      ({ taskId }) => taskId,
    ),
  },
  topic: ({ taskId = '' }) => `task ${taskId}`,
  changesWith: () => true,
  read: async ({ taskId = '' }, { call, identity }) => {
    const view = await call.tenant.tasks.read(identity, taskId);
    return {
      body: json(statusOf(view)),
      title: `Task of ${view.operation}`,
      lastModified: iso(view.updatedAt),
    };
  },
});

/** An interaction: what the tool `pending_interactions` tells of it. */
export const interaction = defineResource({
  template: 'baton://interactions/{id}',
  name: 'interaction',
  title: 'A delegated request',
  description: 'One request that was handed to the agent, whole, and what became of it.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.7 },
  need: ['mcp', 'agent'],
  completions: {
    id: idsOf(
      ({ call, identity }, cursor) => call.tenant.listing.pending(identity, { cursor }),
      ({ interactionId }) => interactionId,
    ),
  },
  topic: ({ id = '' }) => `task ${parseInteractionId(id)?.taskId ?? ''}`,
  changesWith: () => true,
  read: async ({ id = '' }, { call, identity }) => {
    const record = await call.tenant.listing.interaction(identity, id);
    return {
      body: json(wholeRequest(record)),
      title: `Request of ${record.operation}`,
      lastModified: iso(record.endedAt ?? record.createdAt),
    };
  },
});
