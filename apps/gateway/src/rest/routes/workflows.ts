import { BatonError, type JsonObject, type Scope } from '@baton/protocol';
import type { StoredDefinition } from '@baton/store';
import { type FindTool, parseWorkflow, workflowNameSchema, workflowSchema } from '@baton/workflows';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { isoTimeSchema, jsonResponseSchema } from '../openapi/shared-schemas.ts';
import { installYamlBodyParser } from '../../edge/yaml-body-parser.ts';
import { unfinishedTasksByVersion } from '../../workflows/tasks-by-version.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';

const summarySchema = z.object({
  name: z.string(),
  version: z.int().describe('One more with each change'),
  storedAt: isoTimeSchema,
  storedBy: z.string().describe('The principal who stored it'),
  description: z.string(),
  steps: z.int(),
});

const wholeSchema = z.object({
  name: z.string(),
  version: z.int(),
  storedAt: isoTimeSchema,
  storedBy: z.string(),
  definition: z.looseObject({}).describe('As it was put, with its defaults'),
});

const tasksSchema = z
  .array(z.string())
  .describe('Tasks that go on with it, of the newest 500 or so of the tenant');

const historySchema = z.object({
  versions: z.array(wholeSchema.extend({ tasks: tasksSchema })),
  tasksOfDroppedVersions: tasksSchema.describe('Tasks that go on with a version that is not kept any more'),
});

const definitionSchema = z
  .looseObject({})
  .describe('A definition: name, title?, description, arguments?, steps (see docs/workflows.md)')
  .meta({
    examples: [
      { name: 'next', description: 'see what is next', steps: [{ name: 'next', tool: 'next_task' }] },
    ],
  });

const USE: readonly Scope[] = ['mcp', 'admin'];
const CHANGE: readonly Scope[] = ['admin'];
const tags = ['workflows'];

/** A tenant's workflows: prompts that run. They are held against the gateway's tools when they are put. */
export async function workflowRoutes(
  app: FastifyInstance,
  { routeScope, findTool }: { routeScope: TenantRouteBase; findTool: FindTool },
): Promise<void> {
  installYamlBodyParser(app);
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({ name: workflowNameSchema });

  api.get(
    '/workflows',
    {
      config: { access: routeScope.access(USE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listWorkflows'),
        tags,
        summary: 'List the workflows by name',
        params: routeScope.params({}),
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: {
          200: jsonResponseSchema(
            'A page',
            z.object({ workflows: z.array(summarySchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const { items, ...next } = await tenantRequestOf(request).tenant.workflows.page(
        'workflows',
        request.query.cursor,
      );
      return { workflows: items.map(summaryOf), ...next };
    },
  );

  api.get(
    '/workflows/:name',
    {
      config: { access: routeScope.access(USE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getWorkflow'),
        tags,
        summary: 'Read the newest version of a workflow',
        params,
        response: { 200: jsonResponseSchema('The workflow', wholeSchema) },
      },
    },
    async (request) => ({ ...(await tenantRequestOf(request).tenant.workflows.get(request.params.name)) }),
  );

  api.get(
    '/workflows/:name/history',
    {
      config: { access: routeScope.access(USE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getWorkflowHistory'),
        tags,
        summary:
          'Read the versions of a workflow that are kept, the newest first, with the tasks that still need them',
        params,
        response: { 200: jsonResponseSchema('The versions', historySchema) },
      },
    },
    async (request) => {
      const { name } = request.params;
      const { tenant } = tenantRequestOf(request);
      await tenant.workflows.get(name);
      const versions = await tenant.workflows.versions(name);
      const tasks = await unfinishedTasksByVersion(tenant, name, versions);
      return {
        versions: versions.map((one) => ({ ...one, tasks: [...(tasks.get(one.version) ?? [])] })),
        tasksOfDroppedVersions: [...(tasks.get(0) ?? [])],
      };
    },
  );

  api.put(
    '/workflows/:name',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('putWorkflow'),
        tags,
        summary: 'Put a definition as the next version of a workflow; the same again changes nothing',
        params,
        body: definitionSchema,
        response: {
          200: jsonResponseSchema('What is stored now', z.object({ name: z.string(), version: z.int() })),
        },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      const { name } = request.params;
      const workflow = parseWorkflow(request.body, findTool);
      if (workflow.name !== name) {
        const message = `name: the path says '${name}', the definition '${workflow.name}'`;
        throw new BatonError('invalid_arguments', message, { field: 'name' });
      }
      const version = await own.tenant.workflows.put(await own.admit(), name, {
        definition: workflow as unknown as JsonObject,
      });
      return { name, version };
    },
  );

  api.delete(
    '/workflows/:name',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('deleteWorkflow'),
        tags,
        summary: 'Delete a workflow with its versions; its tasks go on with the version that they began with',
        params,
        response: {
          200: jsonResponseSchema('Deleted', z.object({ name: z.string(), deleted: z.literal(true) })),
        },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      await own.tenant.workflows.delete(await own.admit(), request.params.name);
      return { name: request.params.name, deleted: true as const };
    },
  );
}

function summaryOf({ definition, ...stored }: StoredDefinition): z.infer<typeof summarySchema> {
  const { description, steps } = workflowSchema.parse(definition);
  return { ...stored, description, steps: steps.length };
}
