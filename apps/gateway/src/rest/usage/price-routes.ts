import { priceTableSchema } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { tenantRouter } from '../admission/router.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';

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
  const route = tenantRouter(app, routeScope, { tag: 'usage', scopes: ['admin'] });

  route('GET /prices', {
    id: 'getPrices',
    summary: 'Read what each model costs',
    reply: [200, 'The prices', priceTableSchema],
    run: async ({ tenant }) => (await tenant.prices.read()) ?? NO_PRICES,
  });

  route('PUT /prices', {
    id: 'putPrices',
    summary: 'Set what each model costs, in place of all prices before',
    body: priceTable,
    reply: [200, 'The prices as they are now', priceTableSchema],
    async run({ tenant, identity, body }) {
      await tenant.prices.put(identity, body);
      return body;
    },
  });
}
