import { isTaskId, type Scope, taskStatusSchema } from '@baton/protocol';
import { refusalError } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readStreamedTexts } from '../../streaming/streamed-texts.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, nextMatchingPage, nextCursorSchema } from './paging.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponseSchema, emptyBodySchema } from '../openapi/shared-schemas.ts';
import { toTaskDetail, toTaskSummary, taskSummarySchema, taskDetailSchema } from './task-view.ts';

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
          cursor: cursorParamSchema,
        }),
        response: {
          200: jsonResponseSchema(
            'A page',
            z.object({ tasks: z.array(taskSummarySchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const { status, operation, cursor: from } = request.query;
      const { items, ...next } = await nextMatchingPage(
        (at) => rest.tenant.queries.tasks(identity, at, { status, operation }),
        from,
      );
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
        response: { 200: jsonResponseSchema('The task', taskDetailSchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const task = await rest.tenant.queries.inspect(identity, requireTaskId(request.params.id));
      const pending = task.interactions.filter(({ status }) => status === 'pending');
      return toTaskDetail(task, await readStreamedTexts(rest.tenant, identity, pending));
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
        response: { 200: jsonResponseSchema('The task as it is now', taskSummarySchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const id = requireTaskId(request.params.id);
      await rest.tenant.tasks.cancel(identity, id);
      return toTaskSummary(await rest.tenant.tasks.read(identity, id));
    },
  );
}

/** The store finds a task by a part of its id, so an id that merely contains it must not pass for it. */
function requireTaskId(id: string): string {
  if (!isTaskId(id)) throw refusalError(['task_not_found'], { taskId: id });
  return id;
}
