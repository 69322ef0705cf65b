/**
 * REST, for operators and for tenants' own tools: `admission` holds every request to its route's declared access, and registers most routes (`router`),
 * `request-validation` parses what was sent, `openapi` describes all of it. `routes` has one file per resource of a tenant, `views` what replies show of each,
 * `tools` the catalogue of MCP: every tool, and the methods beside them; `definitions` what a tenant defines, with versions, `usage` its reports and prices; `operator` what crosses tenants. What a tenant has is reached in two ways (`TenantRouteBase`): by its own key, or, for the
 * operator and the tenant's admins, under `/tenants/{tenant}`.
 */
import type { FastifyInstance } from 'fastify';
import type { Services } from '../call/call.ts';
import type { StreamRegistry } from '../subscriptions/stream-registry.ts';
import { admitRequests } from './admission/admit-requests.ts';
import { interactionRoutes } from './routes/interactions.ts';
import { eventRoutes } from './tools/event-stream.ts';
import { auditRoutes } from './routes/audit.ts';
import { keyRoutes } from './routes/keys.ts';
import { ownKeyRoute } from './routes/own-key.ts';
import { serveOpenApi } from './openapi/openapi-document.ts';
import { createTenantExistenceCheck } from './operator/tenant-existence-check.ts';
import { openDeploymentStatus, openOperatorStore } from './operator/open-operator-store.ts';
import { statusRoutes } from './operator/status.ts';
import { tenantRoutes } from './operator/tenants.ts';
import { projectRoutes } from './routes/projects.ts';
import { keyTenantRouteBase, pathTenantRouteBase } from './admission/tenant-route-base.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { roleRoutes } from './routes/roles.ts';
import { taskRetryRoutes } from './routes/task-retries.ts';
import { taskRoutes } from './routes/tasks.ts';
import { agentRoutes, agentStateRoutes } from './definitions/agent-routes.ts';
import { definitionRoutes } from './definitions/definition-routes.ts';
import { promptRoutes } from './definitions/prompt-routes.ts';
import { workflowRoutes } from './definitions/workflow-routes.ts';
import { priceRoutes } from './usage/price-routes.ts';
import { usageRoutes } from './usage/usage-routes.ts';
import { methodRoutes } from './tools/method-routes.ts';
import { toolRoutes } from './tools/tool-routes.ts';
import { installRequestValidation } from './request-validation.ts';

/** Everything under `/v1`; what crosses tenants only `forOperators`. */
export async function restRoutes(
  app: FastifyInstance,
  options: {
    services: Services;
    forOperators: boolean;
    streams: StreamRegistry;
  },
): Promise<void> {
  const { services, forOperators, streams } = options;
  const { tools } = services;
  const isTool = (name: string) => tools.has(name);
  const context = { tools, isTool, validator: services.answerValidator };
  const definitions = [workflowRoutes(tools), agentRoutes(context), promptRoutes(context)];
  const operatorStore = openOperatorStore(services.store);
  await serveOpenApi(app);
  installRequestValidation(app);
  admitRequests(app, services.store, createTenantExistenceCheck(operatorStore));

  if (forOperators) {
    await app.register(tenantRoutes, { operatorStore, store: services.store });
    await app.register(statusRoutes, { deployment: openDeploymentStatus(services.store) });
  }
  await app.register(keyRoutes, { prefix: pathTenantRouteBase.prefix, isTool });
  await app.register(ownKeyRoute);
  for (const routeScope of [keyTenantRouteBase, pathTenantRouteBase]) {
    const { prefix } = routeScope;
    await app.register(eventRoutes, { prefix, routeScope, services, streams });
    await app.register(toolRoutes, { prefix, routeScope, services });
    await app.register(methodRoutes, { prefix, routeScope, services, isTool });
    await app.register(interactionRoutes, { prefix, routeScope, services });
    await app.register(taskRoutes, { prefix, routeScope });
    await app.register(taskRetryRoutes, { prefix, routeScope, services });
    await app.register(projectRoutes, { prefix, routeScope });
    await app.register(conversationRoutes, { prefix, routeScope });
    for (const routes of definitions) await app.register(definitionRoutes, { prefix, routeScope, routes });
    await app.register(agentStateRoutes, { prefix, routeScope });
    await app.register(usageRoutes, { prefix, routeScope });
    await app.register(priceRoutes, { prefix, routeScope });
    await app.register(auditRoutes, { prefix, routeScope });
    await app.register(roleRoutes, { prefix, routeScope });
  }
}
