import { scopeSchema, tenantIdSchema } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { tenantRouter } from '../admission/router.ts';
import { keyTenantRouteBase } from '../admission/tenant-route-base.ts';

const ownKeySchema = z.object({
  tenant: tenantIdSchema,
  id: z.string().describe("The key's id, not its text"),
  principal: z.string().describe('Who calls with it'),
  scopes: z.array(scopeSchema),
});

/** What the key of a call is good for, for whoever sets up a client: any valid key may ask it of itself. */
export async function ownKeyRoute(app: FastifyInstance): Promise<void> {
  const route = tenantRouter(app, keyTenantRouteBase, { tag: 'keys', scopes: scopeSchema.options });
  route('GET /key', {
    id: 'getOwnKey',
    summary: 'Show the tenant, the principal and the scopes of the key that calls',
    problems: [],
    reply: [200, 'The key, without its text', ownKeySchema],
    async run({ tenant, caller }) {
      // As the key has them, which it was admitted with: an admin's sight of the tenant is no scope of its key.
      const { principal, scopes } = await caller.admit(scopeSchema.options);
      const id = caller.heldIdentity().admittedBy?.id ?? '';
      return { tenant: tenant.id, id, principal, scopes: [...scopes] };
    },
  });
}
