import {
  ENDPOINT_KINDS,
  type ModelRole,
  modelRoleSchema,
  roleInputSchema,
  type Scope,
} from '@baton/protocol';
import type { StoredRole } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { isoTimeSchema, jsonResponse } from '../openapi/shared-schemas.ts';

const routeSchema = z.union([
  z.object({ kind: z.literal('agent'), modelId: z.string().optional(), fixedModel: z.boolean().optional() }),
  z.object({
    kind: z.enum(ENDPOINT_KINDS),
    baseUrl: z.string(),
    modelId: z.string(),
    fixedModel: z.boolean().optional(),
    timeoutMs: z.int().optional(),
    apiKeySet: z.boolean().describe('Whether a key is stored; it is never shown'),
  }),
]);

const roleSchema = z.object({
  role: modelRoleSchema,
  configured: z.boolean().describe('False: its requests go to the calling agent, and name no model'),
  routes: z.array(routeSchema),
  maxTokens: z.int().optional(),
  temperature: z.number().optional(),
  storedAt: isoTimeSchema.optional(),
  storedBy: z.string().optional(),
});

const CHANGE: readonly Scope[] = ['admin'];
const tags = ['roles'];

/** A tenant's roles: what LLM requests are asked of. */
export async function roleRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({ role: modelRoleSchema });

  api.get(
    '/roles',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listRoles'),
        tags,
        summary: 'Read what the requests of each role are asked of',
        params: routeScope.params({}),
        response: { 200: jsonResponse('The roles', z.object({ roles: z.array(roleSchema) })) },
      },
    },
    async (request) => {
      const stored = await tenantRequestOf(request).tenant.roles.read();
      return { roles: modelRoleSchema.options.map((role) => describeRole(role, stored.get(role))) };
    },
  );

  api.get(
    '/roles/:role',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getRole'),
        tags,
        summary: 'Read what the requests of a role are asked of',
        params,
        response: { 200: jsonResponse('The role', roleSchema) },
      },
    },
    async (request) => {
      const { role } = request.params;
      return describeRole(role, (await tenantRequestOf(request).tenant.roles.read()).get(role));
    },
  );

  api.put(
    '/roles/:role',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('putRole'),
        tags,
        summary: 'Set what the requests of a role are asked of, from the next request on',
        params,
        body: roleInputSchema.meta({ examples: [{ routes: [{ kind: 'agent', modelId: 'gpt-4.1' }] }] }),
        response: { 200: jsonResponse('What is stored now', roleSchema) },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      const { role } = request.params;
      const stored = await own.tenant.roles.put(await own.admit(), role, request.body);
      return describeRole(role, stored);
    },
  );

  api.delete(
    '/roles/:role',
    {
      config: { access: routeScope.access(CHANGE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('deleteRole'),
        tags,
        summary: 'Have the requests of a role go to the calling agent again; its keys are deleted',
        params,
        response: {
          200: jsonResponse(
            'Whether it was configured',
            z.object({ role: modelRoleSchema, deleted: z.boolean() }),
          ),
        },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      const { role } = request.params;
      return { role, deleted: await own.tenant.roles.delete(await own.admit(), role) };
    },
  );
}

/** Without the keys, not even as they are sealed. */
function describeRole(role: ModelRole, stored: StoredRole | undefined): z.infer<typeof roleSchema> {
  if (stored === undefined) return { role, configured: false, routes: [{ kind: 'agent' }] };
  const routes = stored.routes.map((route) => {
    if (route.kind === 'agent') return route;
    const { sealedKey, ...shown } = route;
    return { ...shown, apiKeySet: sealedKey !== undefined };
  });
  return { role, configured: true, ...stored, routes };
}
