import { parseOwnerAndTimes } from '../../delegation/owner-and-time-filter.ts';
import { type Scope, taskStatusSchema } from '@baton/protocol';
import { mayStream, PAGE_SIZE } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readStreamedTexts } from '../../streaming/streamed-texts.ts';
import { logEventsOf } from '../../edge/event-log.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, limitParamSchema, nextCursorSchema, originFields } from './paging.ts';
import { requireTaskId } from './task-id.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse, emptyBodySchema } from '../openapi/shared-schemas.ts';
import { toTaskDetail, toTaskSummary, taskSummarySchema, taskDetailSchema } from '../views/task-view.ts';

const SEE: readonly Scope[] = ['mcp', 'agent', 'admin'];
const tags = ['tasks'];

/** A tenant's tasks: with `agent` or `admin` all of them, with `mcp` the caller's own. */
export async function taskRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({ id: z.string().min(1).max(100) });

  api.get(
    '/tasks',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listTasks'),
        tags,
        summary: 'List tasks, newest first',
        params: routeScope.params({}),
        querystring: z.strictObject({
          status: optionalParam(taskStatusSchema).describe('Only these; all when left out'),
          operation: optionalParam(z.string().max(100)).describe('Only those of this operation'),
          errorCode: optionalParam(z.string().max(64)).describe('Only those that ended with this error'),
          ...originFields,
          limit: limitParamSchema,
          cursor: cursorParamSchema,
        }),
        response: {
          200: jsonResponse(
            'A page',
            z.object({ tasks: z.array(taskSummarySchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const { status, operation, errorCode, limit = PAGE_SIZE, cursor, ...origin } = request.query;
      const filter = { status, operation, errorCode, ...parseOwnerAndTimes(origin) };
      const { items, ...next } = await rest.tenant.queries.tasks(identity, cursor, filter, limit);
      return { tasks: items.map(toTaskSummary), ...next };
    },
  );

  api.get(
    '/tasks/:id',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getTask'),
        tags,
        summary: 'Show a task with its journal and its timeline',
        params,
        response: { 200: jsonResponse('The task', taskDetailSchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const task = await rest.tenant.queries.inspect(identity, requireTaskId(request.params.id));
      const streams = task.interactions
        .filter(({ status, request: asked }) => status === 'pending' && mayStream(asked))
        .map(({ interactionId }) => interactionId);
      return toTaskDetail(task, await readStreamedTexts(rest.tenant, identity, streams));
    },
  );

  api.post(
    '/tasks/:id/cancel',
    {
      config: { access: routeScope.access(SEE), problems: [404, 409] },
      schema: {
        operationId: routeScope.operationId('cancelTask'),
        tags,
        summary: 'End a task; what it waits for is taken back',
        params,
        body: emptyBodySchema,
        response: { 200: jsonResponse('The task as it is now', taskSummarySchema) },
      },
    },
    async (request, reply) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const id = requireTaskId(request.params.id);
      await rest.tenant.tasks.cancel(identity, id);
      logEventsOf(request, reply, rest.caller)('ended', { taskId: id, status: 'cancelled' });
      return toTaskSummary(await rest.tenant.tasks.read(identity, id));
    },
  );
}
