import type { AuditEntry, TenantStore } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { tenantRouter } from '../admission/router.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';

const entrySchema = z.object({
  at: z.iso.datetime(),
  action: z.enum([
    'key_created',
    'key_changed',
    'key_rotated',
    'key_revoked',
    'tenant_created',
    'tenant_changed',
    'role_changed',
    'role_deleted',
  ]),
  by: z.string().describe("A key's id, or `operator`"),
  facts: z.looseObject({}).describe('Which key or role, and what was given'),
});
type Action = z.infer<typeof entrySchema>['action'];

/** The last changes of a tenant, of its keys and of its roles, for its admins. */
export async function auditRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'audit', scopes: ['admin'] });

  route('GET /audit', {
    id: 'listAudit',
    summary: 'List the changes of the tenant, of its keys and of its roles, newest first: the last 1,000',
    query: z.strictObject({ cursor: cursorParamSchema }),
    reply: [200, 'A page', z.object({ entries: z.array(entrySchema), nextCursor: nextCursorSchema })],
    async run({ tenant, identity, query }) {
      const { items, ...next } = await tenant.audit.page(identity, query.cursor);
      const entries = items.map(({ at, action, ...entry }) => ({
        at: new Date(at).toISOString(),
        action: action as Action,
        ...entry,
      }));
      return { entries, ...next };
    },
  });
}

/** Who makes a change: its key's id, or `operator`. */
export function actorOf(request: FastifyRequest): string {
  return tenantRequestOf(request).caller.heldIdentity().admittedBy?.id ?? 'operator';
}

/** Says in the log and in the tenant's audit what was changed. The change stands: where Redis does not take the entry, the log alone has it. */
export async function recordAudit(
  { log }: FastifyRequest,
  tenant: TenantStore,
  action: Action,
  by: string,
  facts: AuditEntry['facts'],
): Promise<void> {
  log.info({ audit: action, tenant: tenant.id, by, ...facts }, action.replace('_', ' '));
  await tenant.audit.add({ action, by, facts }).catch((err: unknown) => {
    log.error({ err, tenant: tenant.id, audit: action }, 'not in the audit');
  });
}
