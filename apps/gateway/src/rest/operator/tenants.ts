import { type Limits, limitsPatchSchema, tenantIdSchema, tenantCreationInputSchema } from '@baton/protocol';
import type { Identity } from '@baton/store';
import type { OperatorStore } from '@baton/store/operator';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { cursorParamSchema, nextCursorSchema } from '../routes/paging.ts';
import { tenantSchema } from '../views/tenant-view.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';

const creation = tenantCreationInputSchema.extend({
  limits: limitsPatchSchema.optional().describe('Any of them; the others have their defaults'),
});

const change = z.strictObject({
  name: tenantCreationInputSchema.shape.name,
  suspended: z.boolean().optional(),
  limits: limitsPatchSchema.optional().describe('Any of them; the others stay'),
});

const params = z.object({ tenant: tenantIdSchema });
const PAGE_SIZE = 100;
/** Who sees the list of tenants. */
const OPERATOR: Identity = { principal: 'operator', scopes: new Set() };
const access = { kind: 'operator' } as const;
const tags = ['tenants'];

/** Tenants, by the operator's token. A new or changed one is so at once on every replica. */
export async function tenantRoutes(
  app: FastifyInstance,
  { operatorStore }: { operatorStore: OperatorStore },
): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();

  rest.post(
    '/tenants',
    {
      config: { access, problems: [409] },
      schema: {
        operationId: 'createTenant',
        tags,
        summary: 'Create a tenant',
        body: creation,
        response: { 201: jsonResponse('The tenant', tenantSchema) },
      },
    },
    async (request, reply) => {
      const created = await operatorStore.create({
        ...request.body,
        limits: asPartialLimits(request.body.limits),
      });
      logTenantChange(request, 'tenant_created', created.id, request.body);
      return reply.status(201).send(created);
    },
  );

  rest.get(
    '/tenants',
    {
      config: { access },
      schema: {
        operationId: 'listTenants',
        tags,
        summary: 'List the tenants, in the order of their ids',
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: {
          200: jsonResponse(
            'A page of tenants',
            z.object({ tenants: z.array(tenantSchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const cursors = operatorStore.cursors.of('tenants', OPERATOR);
      const { cursor: from } = request.query;
      const found = await operatorStore.list(from && cursors.open(from), PAGE_SIZE + 1);
      const tenants = found.slice(0, PAGE_SIZE);
      const last = tenants.at(-1);
      return { tenants, ...(found.length > PAGE_SIZE && last ? { nextCursor: cursors.seal(last.id) } : {}) };
    },
  );

  rest.get(
    '/tenants/:tenant',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'getTenant',
        tags,
        summary: 'Show a tenant',
        params,
        response: { 200: jsonResponse('The tenant', tenantSchema) },
      },
    },
    async (request) => operatorStore.get(request.params.tenant),
  );

  rest.patch(
    '/tenants/:tenant',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'changeTenant',
        tags,
        summary: 'Rename, suspend or resume a tenant, or change its limits',
        params,
        body: change,
        response: { 200: jsonResponse('The tenant as it is now', tenantSchema) },
      },
    },
    async (request) => {
      const limits = asPartialLimits(request.body.limits);
      const changed = await operatorStore.update(request.params.tenant, { ...request.body, limits });
      logTenantChange(request, 'tenant_changed', request.params.tenant, request.body);
      return changed;
    },
  );
}

/** JSON has no `undefined`, so what is there is given; zod's type cannot say so. */
function asPartialLimits(patch: z.infer<typeof limitsPatchSchema> | undefined): Partial<Limits> | undefined {
  return patch as Partial<Limits> | undefined;
}

/** One line of the log for each change of a tenant: what was given. */
function logTenantChange(
  { log }: FastifyRequest,
  audit: 'tenant_created' | 'tenant_changed',
  tenantId: string,
  { suspended, limits }: { readonly suspended?: boolean | undefined; readonly limits?: object | undefined },
): void {
  log.info({ audit, tenant: tenantId, by: 'operator', suspended, limits }, audit.replace('_', ' '));
}
