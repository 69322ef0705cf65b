import { scopeSchema, tenantIdSchema } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { keyTenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';

const ownKeySchema = z.object({
  tenant: tenantIdSchema,
  id: z.string().describe("The key's id, not its text"),
  principal: z.string().describe('Who calls with it'),
  scopes: z.array(scopeSchema),
});

/** What the key of a call is good for, for whoever sets up a client: any valid key may ask it of itself. */
export async function ownKeyRoute(app: FastifyInstance): Promise<void> {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/key',
    {
      config: { access: keyTenantRouteBase.access(scopeSchema.options) },
      schema: {
        operationId: 'getOwnKey',
        tags: ['keys'],
        summary: 'Show the tenant, the principal and the scopes of the key that calls',
        response: { 200: jsonResponse('The key, without its text', ownKeySchema) },
      },
    },
    async (request) => {
      const { tenant, caller } = tenantRequestOf(request);
      // As the key has them, which it was admitted with: an admin's sight of the tenant is no scope of its key.
      const { principal, scopes } = await caller.admit(scopeSchema.options);
      return {
        tenant: tenant.id,
        id: caller.heldIdentity().admittedBy?.id ?? '',
        principal,
        scopes: [...scopes],
      };
    },
  );
}
