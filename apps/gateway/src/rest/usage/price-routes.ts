import { priceTableSchema, type Scope } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';

const ADMIN: readonly Scope[] = ['admin'];
const tags = ['usage'];

/** Without a table a tenant has no prices, and no costs. */
const NO_PRICES = { currency: 'USD', models: {} };

const priceTable = priceTableSchema.meta({
  examples: [{ currency: 'USD', models: { 'gpt-4.1': { input: 2, output: 8 } } }],
});

/** A tenant's prices: reports of usage compute cost with them, also of days before they were stored. */
export async function priceRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({});

  api.get(
    '/prices',
    {
      config: { access: routeScope.access(ADMIN), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getPrices'),
        tags,
        summary: 'Read what each model costs',
        params,
        response: { 200: jsonResponse('The prices', priceTableSchema) },
      },
    },
    async (request) => (await tenantRequestOf(request).tenant.prices.read()) ?? NO_PRICES,
  );

  api.put(
    '/prices',
    {
      config: { access: routeScope.access(ADMIN), problems: [404] },
      schema: {
        operationId: routeScope.operationId('putPrices'),
        tags,
        summary: 'Set what each model costs, in place of all prices before',
        params,
        body: priceTable,
        response: { 200: jsonResponse('The prices as they are now', priceTableSchema) },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      await own.tenant.prices.put(await own.admit(), request.body);
      return request.body;
    },
  );
}
