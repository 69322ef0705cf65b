import {
  type Limits,
  limitsChangeSchema,
  limitsPatchSchema,
  tenantIdSchema,
  tenantCreationInputSchema,
} from '@baton/protocol';
import type { Identity, Store } from '@baton/store';
import type { OperatorStore } from '@baton/store/operator';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { recordAudit } from '../routes/audit.ts';
import { cursorParamSchema, nextCursorSchema } from '../routes/paging.ts';
import { tenantSchema } from '../views/tenant-view.ts';
import { operatorRouter } from '../admission/router.ts';

const creation = tenantCreationInputSchema.extend({
  limits: limitsPatchSchema.optional().describe('Any of them; the others have their defaults'),
});

const change = z
  .strictObject({
    name: tenantCreationInputSchema.shape.name,
    suspended: z.boolean().optional(),
    limits: limitsChangeSchema
      .optional()
      .describe('Any of them, null for the default of one; the others stay'),
  })
  .refine(
    ({ limits = {}, ...others }) => Object.keys({ ...others, ...limits }).length > 0,
    'must change name, suspended or one of limits',
  );

const params = { tenant: tenantIdSchema };
const PAGE_SIZE = 100;
/** Who sees the list of tenants. */
const OPERATOR: Identity = { principal: 'operator', scopes: new Set() };

/** Tenants, by the operator's token. A new or changed one is so at once on every replica. */
export async function tenantRoutes(
  app: FastifyInstance,
  { operatorStore, store }: { operatorStore: OperatorStore; store: Store },
): Promise<void> {
  const route = operatorRouter(app, 'tenants');

  route('POST /tenants', {
    id: 'createTenant',
    summary: 'Create a tenant',
    body: creation,
    problems: [409],
    reply: [201, 'The tenant', tenantSchema],
    async run({ body }, request) {
      const created = await operatorStore.create({ ...body, limits: asPartialLimits(body.limits) });
      const { name, limits } = body;
      await recordAudit(request, store.tenant(created.id), 'tenant_created', 'operator', { name, limits });
      return created;
    },
  });

  route('GET /tenants', {
    id: 'listTenants',
    summary: 'List the tenants, in the order of their ids',
    query: z.strictObject({ cursor: cursorParamSchema }),
    problems: [],
    reply: [
      200,
      'A page of tenants',
      z.object({ tenants: z.array(tenantSchema), nextCursor: nextCursorSchema }),
    ],
    async run({ query: { cursor: from } }) {
      const cursors = operatorStore.cursors.of('tenants', OPERATOR);
      const { tenants, next } = await operatorStore.list(from && cursors.open(from), PAGE_SIZE);
      return { tenants, ...(next !== undefined && { nextCursor: cursors.seal(next) }) };
    },
  });

  route('GET /tenants/:tenant', {
    id: 'getTenant',
    summary: 'Show a tenant',
    params,
    reply: [200, 'The tenant', tenantSchema],
    run: ({ params: { tenant } }) => operatorStore.get(tenant),
  });

  route('PATCH /tenants/:tenant', {
    id: 'changeTenant',
    summary: 'Rename, suspend or resume a tenant, or change its limits',
    params,
    body: change,
    reply: [200, 'The tenant as it is now', tenantSchema],
    async run({ params: { tenant }, body }, request) {
      const changed = await operatorStore.update(tenant, body);
      await recordAudit(request, store.tenant(tenant), 'tenant_changed', 'operator', body);
      return changed;
    },
  });

  route('DELETE /tenants/:tenant', {
    id: 'deleteTenant',
    summary:
      'Delete a suspended tenant with everything that is its own, for good; one that is cut off goes on by itself, or by a further call',
    params,
    problems: [404, 409],
    reply: [204, 'It is gone'],
    async run({ params: { tenant } }, request) {
      await operatorStore.delete(tenant, () =>
        request.log.info({ audit: 'tenant_deletion_begun', tenant, by: 'operator' }, 'tenant deletion begun'),
      );
      request.log.info({ audit: 'tenant_deleted', tenant, by: 'operator' }, 'tenant deleted');
    },
  });
}

/** JSON has no `undefined`, so what is there is given; zod's type cannot say so. */
function asPartialLimits(patch: z.infer<typeof limitsPatchSchema> | undefined): Partial<Limits> | undefined {
  return patch as Partial<Limits> | undefined;
}
