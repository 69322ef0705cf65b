import { parseInteractionId } from '@baton/protocol';
import type { Page } from '@baton/store';
import { isoTime, statusOf, interactionDetails } from '../delegation/task-outcome.ts';
import { type Completion, defineResource, jsonBody } from './resource-kind.ts';

/** How many pages of ids are looked through to complete one. */
const PAGES = 2;

/** Ids out of the pages of a list; nobody types an id from long ago. */
const completeIds =
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
export const taskResource = defineResource({
  template: 'baton://tasks/{taskId}',
  name: 'delegated-task',
  title: 'A task',
  description: 'How a task stands: its result when it is done, the request that it waits for when it waits.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.6 },
  need: ['mcp', 'agent'],
  completions: {
    taskId: completeIds(
      ({ call, identity }, cursor) => call.tenant.queries.tasks(identity, cursor),
      ({ taskId }) => taskId,
    ),
  },
  topic: ({ taskId = '' }) => `task ${taskId}`,
  mayChangeWith: () => true,
  read: async ({ taskId = '' }, { call, identity }) => {
    const view = await call.tenant.tasks.read(identity, taskId);
    return {
      body: jsonBody(statusOf(view)),
      title: `Task of ${view.operation}`,
      lastModified: isoTime(view.updatedAt),
    };
  },
});

/** An interaction: what the tool `pending_interactions` tells of it. */
export const interactionResource = defineResource({
  template: 'baton://interactions/{id}',
  name: 'interaction',
  title: 'A delegated request',
  description: 'One request that was handed to the agent, whole, and what became of it.',
  mimeType: 'application/json',
  annotations: { audience: ['assistant'], priority: 0.7 },
  need: ['mcp', 'agent'],
  completions: {
    id: completeIds(
      ({ call, identity }, cursor) => call.tenant.queries.pending(identity, { cursor }),
      ({ interactionId }) => interactionId,
    ),
  },
  topic: ({ id = '' }) => `task ${parseInteractionId(id)?.taskId ?? ''}`,
  mayChangeWith: () => true,
  read: async ({ id = '' }, { call, identity }) => {
    const record = await call.tenant.queries.interaction(identity, id);
    return {
      body: jsonBody(interactionDetails(record)),
      title: `Request of ${record.operation}`,
      lastModified: isoTime(record.endedAt ?? record.createdAt),
    };
  },
});
