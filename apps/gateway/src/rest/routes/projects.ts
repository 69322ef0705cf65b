import { getTasksInputSchema } from '@baton/operations';
import { exportProject, importProject } from '@baton/runner';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantRouter } from '../admission/router.ts';
import { toProjectEntry } from '../../resources/usage-resource.ts';
import { importedProjectSchema, projectSummarySchema } from '../views/project-view.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';

const tasksFile = z
  .looseObject({})
  .describe('A tasks.json of claude-task-master: `{ "<tag>": { "tasks": [...], "metadata": {...} } }`');

/** A tenant's projects, whole. */
export async function projectRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'projects', scopes: ['mcp', 'admin'] });
  const params = {
    id: getTasksInputSchema.shape.projectRoot
      .unwrap()
      .describe("The project's key (projectRoot), percent-encoded"),
  };

  route('GET /projects', {
    id: 'listProjects',
    summary: 'List the projects by their keys',
    query: z.strictObject({ cursor: cursorParamSchema }),
    reply: [
      200,
      'A page',
      z.object({ projects: z.array(projectSummarySchema), nextCursor: nextCursorSchema }),
    ],
    async run({ tenant: { projects }, query }) {
      const { items, ...next } = await projects.page(query.cursor);
      return { projects: (await projects.uses(items)).map(toProjectEntry), ...next };
    },
  });

  route('GET /projects/:id', {
    id: 'getProject',
    summary: 'Read a project as tasks.json',
    params,
    config: { repliesLarge: true },
    reply: [200, 'The file', tasksFile],
    async run({ tenant, params: { id } }, _request, reply) {
      reply.type('application/json; charset=utf-8');
      // A text is sent as it is: to build the file as one object, check it and write it down would hold the event loop.
      return (await exportProject(tenant, id)) as never;
    },
  });

  route('PUT /projects/:id', {
    id: 'putProject',
    summary: 'Put a tasks.json in the place of a project, repaired where it is damaged',
    params,
    query: z.strictObject({
      strict: z
        .enum(['true', 'false'])
        .optional()
        .describe('`true` refuses a file that needs a repair, and lists them all under `problems`'),
    }),
    body: tasksFile,
    problems: [404, 409],
    config: { takesLargeJson: true },
    reply: [200, 'What the project holds now', importedProjectSchema],
    async run({ tenant, caller, params: { id }, query, body }) {
      const strict = query.strict === 'true';
      const { outcome, changedFields } = await importProject(tenant, id, body, { strict });
      void caller.countChange(changedFields);
      return { projectRoot: id, ...outcome } as z.infer<typeof importedProjectSchema>;
    },
  });

  route('DELETE /projects/:id', {
    id: 'deleteProject',
    summary: 'Delete a project with all that it holds',
    params,
    reply: [204, 'It is gone'],
    async run({ tenant, params: { id } }) {
      await tenant.projects.delete(id);
    },
  });
}
