import { parseOwnerAndTimes } from '../../delegation/owner-and-time-filter.ts';
import { taskStatusSchema } from '@baton/protocol';
import { mayStream, PAGE_SIZE } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readStreamedTexts } from '../../streaming/streamed-texts.ts';
import { logEventsOf } from '../../edge/event-log.ts';
import { tenantRouter } from '../admission/router.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, limitParamSchema, nextCursorSchema, originFields } from './paging.ts';
import { requireTaskId } from './task-id.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { emptyBodySchema } from '../openapi/shared-schemas.ts';
import { toTaskDetail, toTaskSummary, taskSummarySchema, taskDetailSchema } from '../views/task-view.ts';

/** A tenant's tasks: with `agent` or `admin` all of them, with `mcp` the caller's own. */
export async function taskRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'tasks', scopes: ['mcp', 'agent', 'admin'] });
  const params = { id: z.string().min(1).max(100) };

  route('GET /tasks', {
    id: 'listTasks',
    summary: 'List tasks, newest first',
    query: z.strictObject({
      status: optionalParam(taskStatusSchema).describe('Only these; all when left out'),
      operation: optionalParam(z.string().max(100)).describe('Only those of this operation'),
      errorCode: optionalParam(z.string().max(64)).describe('Only those that ended with this error'),
      ...originFields,
      limit: limitParamSchema,
      cursor: cursorParamSchema,
    }),
    reply: [200, 'A page', z.object({ tasks: z.array(taskSummarySchema), nextCursor: nextCursorSchema })],
    async run({ tenant, identity, query }) {
      const { status, operation, errorCode, limit = PAGE_SIZE, cursor, ...origin } = query;
      const filter = { status, operation, errorCode, ...parseOwnerAndTimes(origin) };
      const { items, ...next } = await tenant.queries.tasks(identity, cursor, filter, limit);
      return { tasks: items.map(toTaskSummary), ...next };
    },
  });

  route('GET /tasks/:id', {
    id: 'getTask',
    summary: 'Show a task with its journal and its timeline',
    params,
    reply: [200, 'The task', taskDetailSchema],
    async run({ tenant, identity, params: { id } }) {
      const task = await tenant.queries.inspect(identity, requireTaskId(id));
      const streams = task.interactions
        .filter(({ status, request: asked }) => status === 'pending' && mayStream(asked))
        .map(({ interactionId }) => interactionId);
      return toTaskDetail(task, await readStreamedTexts(tenant, identity, streams));
    },
  });

  route('POST /tasks/:id/cancel', {
    id: 'cancelTask',
    summary: 'End a task; what it waits for is taken back',
    params,
    body: emptyBodySchema,
    problems: [404, 409],
    reply: [200, 'The task as it is now', taskSummarySchema],
    async run({ tenant, caller, identity, params: { id } }, request, reply) {
      await tenant.tasks.cancel(identity, requireTaskId(id));
      logEventsOf(request, reply, caller)('ended', { taskId: id, status: 'cancelled' });
      return toTaskSummary(await tenant.tasks.read(identity, id));
    },
  });
}
