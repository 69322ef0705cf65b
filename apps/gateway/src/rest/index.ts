/**
 * REST, for operators and for tenants' own tools: `access` declares who may use a route, `admission` holds every
 * request to it, `validation` reads what was sent, `openapi` describes all of it. Then one file per resource;
 * `operator-*` is what crosses tenants. What a tenant has is reached in two ways (`reach`): by its own key, or, for
 * the operator and the tenant's admins, under `/tenants/{tenant}`.
 */
import type { FastifyInstance } from 'fastify';
import type { Services } from '../context.ts';
import { admitCallers } from './admission.ts';
import { interactionRoutes } from './interactions.ts';
import { keyRoutes } from './keys.ts';
import { describeRoutes } from './openapi.ts';
import { operatorDoor, requireTenant } from './operator-door.ts';
import { tenantRoutes } from './operator-tenants.ts';
import { projectRoutes } from './projects.ts';
import { byKey, byPath } from './reach.ts';
import { taskRoutes } from './tasks.ts';
import { validateRequests } from './validation.ts';

/** Everything under `/v1`. */
export async function restRoutes(app: FastifyInstance, { services }: { services: Services }): Promise<void> {
  const door = operatorDoor(services.store);
  await describeRoutes(app);
  validateRequests(app);
  admitCallers(app, services.store, requireTenant(door));

  await app.register(tenantRoutes, { door });
  await app.register(keyRoutes);
  for (const reach of [byKey, byPath]) {
    const { prefix } = reach;
    await app.register(interactionRoutes, { prefix, reach, services });
    await app.register(taskRoutes, { prefix, reach });
    await app.register(projectRoutes, { prefix, reach });
  }
}
