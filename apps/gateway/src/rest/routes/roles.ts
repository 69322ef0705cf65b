import { type ModelRole, modelRoleSchema, roleInputSchema } from '@baton/protocol';
import type { StoredRole } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantRouter } from '../admission/router.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { actorOf, recordAudit } from './audit.ts';
import { roleSchema } from '../views/role-view.ts';

/** A tenant's roles: what LLM requests are asked of. */
export async function roleRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'roles', scopes: ['admin'] });
  const params = { role: modelRoleSchema };

  route('GET /roles', {
    id: 'listRoles',
    summary: 'Read what the requests of each role are asked of',
    reply: [200, 'The roles', z.object({ roles: z.array(roleSchema) })],
    async run({ tenant }) {
      const stored = await tenant.roles.read();
      return { roles: modelRoleSchema.options.map((role) => describeRole(role, stored.get(role))) };
    },
  });

  route('GET /roles/:role', {
    id: 'getRole',
    summary: 'Read what the requests of a role are asked of',
    params,
    reply: [200, 'The role', roleSchema],
    run: async ({ tenant, params: { role } }) => describeRole(role, (await tenant.roles.read()).get(role)),
  });

  route('PUT /roles/:role', {
    id: 'putRole',
    summary: 'Set what the requests of a role are asked of, from the next request on',
    params,
    body: roleInputSchema.meta({ examples: [{ routes: [{ kind: 'agent', modelId: 'gpt-4.1' }] }] }),
    reply: [200, 'What is stored now', roleSchema],
    async run({ tenant, identity, params: { role }, body }, request) {
      const now = describeRole(role, await tenant.roles.put(identity, role, body));
      await recordAudit(request, tenant, 'role_changed', actorOf(request), { role, routes: now.routes });
      return now;
    },
  });

  route('DELETE /roles/:role', {
    id: 'deleteRole',
    summary: 'Have the requests of a role go to the calling agent again; its keys are deleted',
    params,
    reply: [200, 'Whether it was configured', z.object({ role: modelRoleSchema, deleted: z.boolean() })],
    async run({ tenant, identity, params: { role } }, request) {
      const deleted = await tenant.roles.delete(identity, role);
      if (deleted) await recordAudit(request, tenant, 'role_deleted', actorOf(request), { role });
      return { role, deleted };
    },
  });
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
