import { getTasksInputSchema } from '@baton/operations';
import type { Scope } from '@baton/protocol';
import { exportProject, importProject } from '@baton/runner';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { toProjectEntry } from '../../resources/usage-resource.ts';
import { projectSummarySchema } from '../views/project-view.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';

const tasksFile = z
  .looseObject({})
  .describe('A tasks.json of claude-task-master: `{ "<tag>": { "tasks": [...], "metadata": {...} } }`');

const imported = z.looseObject({
  projectRoot: z.string(),
  currentTag: z.string(),
  taskCounts: z.record(z.string(), z.int()).describe('How many tasks each tag has'),
  repairs: z
    .array(z.object({ place: z.string(), problem: z.string() }))
    .describe('What was changed to take the file: where, what was wrong, and what it is now'),
});

const USE: readonly Scope[] = ['mcp', 'admin'];
const tags = ['projects'];

/** A tenant's projects, whole. */
export async function projectRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({
    id: getTasksInputSchema.shape.projectRoot
      .unwrap()
      .describe("The project's key (projectRoot), percent-encoded"),
  });

  api.get(
    '/projects',
    {
      config: { access: routeScope.access(USE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listProjects'),
        tags,
        summary: 'List the projects by their keys',
        params: routeScope.params({}),
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: {
          200: jsonResponse(
            'A page',
            z.object({
              projects: z.array(projectSummarySchema),
              nextCursor: nextCursorSchema,
            }),
          ),
        },
      },
    },
    async (request) => {
      const { projects } = tenantRequestOf(request).tenant;
      const { items, ...next } = await projects.page(request.query.cursor);
      return { projects: (await projects.uses(items)).map(toProjectEntry), ...next };
    },
  );

  api.get(
    '/projects/:id',
    {
      config: { access: routeScope.access(USE), problems: [404], repliesLarge: true },
      schema: {
        operationId: routeScope.operationId('getProject'),
        tags,
        summary: 'Read a project as tasks.json',
        params,
        response: { 200: jsonResponse('The file', tasksFile) },
      },
    },
    async (request, reply) => {
      const text = await exportProject(tenantRequestOf(request).tenant, request.params.id);
      // A text is sent as it is: to build the file as one object, check it and write it down would hold the event loop.
      return reply.type('application/json; charset=utf-8').send(text as never);
    },
  );

  api.put(
    '/projects/:id',
    {
      config: { access: routeScope.access(USE), problems: [404, 409], takesLargeJson: true },
      schema: {
        operationId: routeScope.operationId('putProject'),
        tags,
        summary: 'Put a tasks.json in the place of a project, repaired where it is damaged',
        params,
        querystring: z.strictObject({
          strict: z
            .enum(['true', 'false'])
            .optional()
            .describe('`true` refuses a file that needs a repair, and lists them all under `problems`'),
        }),
        body: tasksFile,
        response: { 200: jsonResponse('What the project holds now', imported) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const strict = request.query.strict === 'true';
      const { tenant, caller } = tenantRequestOf(request);
      const { outcome, changedFields } = await importProject(tenant, id, request.body, { strict });
      void caller.countChange(changedFields);
      return { projectRoot: id, ...outcome } as z.infer<typeof imported>;
    },
  );

  api.delete(
    '/projects/:id',
    {
      config: { access: routeScope.access(USE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('deleteProject'),
        tags,
        summary: 'Delete a project with all that it holds',
        params,
        response: { 204: z.undefined().describe('It is gone') },
      },
    },
    async (request, reply) => {
      await tenantRequestOf(request).tenant.projects.delete(request.params.id);
      return reply.status(204).send();
    },
  );
}
