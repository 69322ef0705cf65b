import { getTasksInputSchema } from '@baton/operations';
import { exportProject, importProject } from '@baton/runner';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { deleteProjectTool } from '../../tools/delete-project.ts';
import { idempotencyOf } from '../../tools/idempotency.ts';
import { tenantRouter } from '../admission/router.ts';
import { metaOfHeaders, projectChangeHeadersSchema } from '../admission/call-headers.ts';
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
    headers: projectChangeHeadersSchema,
    body: tasksFile,
    problems: [404, 409],
    config: { takesLargeJson: true },
    reply: [200, 'What the project holds now', importedProjectSchema],
    async run({ tenant, caller, identity, params: { id }, query, body }, request) {
      const strict = query.strict === 'true';
      const given = { id, strict, file: request.largeJsonDigest };
      const meta = metaOfHeaders(request);
      const idempotency = await idempotencyOf('PUT project', given, meta, async () => identity.principal);
      const { outcome, changedFields, replayed } = await importProject(
        tenant,
        id,
        body,
        { strict },
        idempotency,
      );
      void caller.countChange(changedFields);
      const shown = { projectRoot: id, ...outcome, ...(replayed && { replayed }) };
      return shown as z.infer<typeof importedProjectSchema>;
    },
  });

  route('DELETE /projects/:id', {
    id: 'deleteProject',
    summary: 'Delete a project with all that it holds',
    params,
    headers: projectChangeHeadersSchema,
    problems: [404, 409],
    reply: [204, 'It is gone'],
    async run({ tenant, identity, params: { id } }, request) {
      // The tool's own key space: the call may be repeated as the other.
      const { name } = deleteProjectTool;
      const given = { projectRoot: id };
      const meta = metaOfHeaders(request);
      const idempotency = await idempotencyOf(name, given, meta, async () => identity.principal);
      await tenant.projects.delete(id, idempotency);
    },
  });
}
