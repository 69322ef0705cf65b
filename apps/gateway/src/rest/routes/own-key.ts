import { ownKeySchema } from '../views/key-view.ts';
import { scopeSchema } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { tenantRouter } from '../admission/router.ts';
import { keyTenantRouteBase } from '../admission/tenant-route-base.ts';

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
