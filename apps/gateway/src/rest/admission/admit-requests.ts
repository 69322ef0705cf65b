import { BatonError, type Scope, scopeSchema } from '@baton/protocol';
import { type CallerAdmission, type Identity, type Store, type TenantStore } from '@baton/store';
import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { admitCaller, edgeAdmittedAccess, withAdminReadScope } from '../../call/access.ts';
import { credentialOf } from '../../edge/credential.ts';
import type { RouteAccess } from '../../edge/route-access.ts';

/** A request and its admission, which runs once however often it is asked for. */
type RestRequest =
  | { readonly kind: 'operator'; admit(): Promise<void> }
  | {
      readonly kind: 'tenant';
      readonly tenant: TenantStore;
      readonly caller: CallerAdmission;
      admit(): Promise<Identity>;
    };

type TenantRequest = Extract<RestRequest, { kind: 'tenant' }>;

/**
 * Admits the caller of every route under its declared access before input is validated: a caller who is refused learns
 * nothing else.
 * `requireTenant` throws `tenant_not_found` for a tenant that does not exist.
 */
export function admitRequests(
  app: FastifyInstance,
  store: Store,
  requireTenant: (tenant: string) => Promise<void>,
): void {
  app.decorateRequest('restRequest', null);
  app.decorateRequest('restCaller', null);

  const restRequestOf = (request: FastifyRequest) =>
    (request.restRequest ??= createRestRequest(request, store, requireTenant));

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });

  app.addHook('preValidation', async (request) => {
    const { isPublic, access } = request.routeOptions.config;
    if (isPublic === true) return;
    const rest = restRequestOf(request);
    if (!isAdmittedByScript(access)) await rest.admit();
  });

  // An unreadable body, and an error before a script admitted the caller, are reported to admitted callers only.
  app.setErrorHandler(async (error, request) => {
    const { isPublic, access } = request.routeOptions.config;
    if (request.credential === null || isPublic === true) throw error;
    const rest = restRequestOf(request);
    const done = isAdmittedByScript(access) && rest.kind === 'tenant' && rest.caller.admitted;
    if (!done) await rest.admit();
    throw error;
  });
}

function isAdmittedByScript(access: RouteAccess | undefined): boolean {
  return access?.kind === 'key' && access.admittedBy === 'script';
}

/** The tenant, the caller and, once admitted, the identity of a request for what a tenant has. */
export function tenantRequestOf(request: FastifyRequest): TenantRequest {
  if (request.restRequest?.kind !== 'tenant') {
    throw new Error(`route ${request.routeOptions.url} is no tenant's, or its caller was not admitted`);
  }
  return request.restRequest;
}

function createRestRequest(
  request: FastifyRequest,
  store: Store,
  requireTenant: (tenant: string) => Promise<void>,
): RestRequest {
  const { access } = request.routeOptions.config;
  if (access === undefined) throw new Error(`route ${request.routeOptions.url} declares no access`);
  const shown = credentialOf(request);
  const named = (request.params as { tenant?: string }).tenant ?? '';

  if (shown.kind === 'operator') {
    switch (access.kind) {
      case 'operator':
        return { kind: 'operator', admit: async () => {} };
      case 'key':
        return { kind: 'operator', admit: once(refusePathWithoutTenant(request)) };
      case 'path': {
        const tenant = store.tenant(named);
        const caller = tenant.operatorCaller();
        request.restCaller = caller;
        const admitOperator = once(async () => {
          await requireTenant(named);
          return admitCaller({ caller }, edgeAdmittedAccess(scopeSchema.options));
        });
        return { kind: 'tenant', tenant, caller, admit: admitOperator };
      }
    }
  }
  const tenant = store.tenant(shown.key.tenant);
  // An import is bounded as it is read.
  const bytes = request.routeOptions.config.takesLargeJson ? 0 : request.bodyBytes;
  const caller = tenant.caller(shown.key, bytes, request.bodyWeight);
  request.restCaller = caller;
  caller.traceparent = request.trace?.traceparent ?? '';
  if (access.kind === 'operator') return { kind: 'operator', admit: once(refuseKey(caller)) };
  const identity =
    access.kind === 'path'
      ? once(() => admitTenantAdmin(caller, tenant, access.scopes, named))
      : once(async () => withAdminReadScope(await admitCaller({ caller }, access)));
  return { kind: 'tenant', tenant, caller, admit: identity };
}

async function admitTenantAdmin(
  caller: CallerAdmission,
  tenant: TenantStore,
  scopes: readonly Scope[],
  named: string,
): Promise<Identity> {
  await admitCaller({ caller }, edgeAdmittedAccess(['admin']));
  // Whether the other tenant exists is not looked up.
  if (tenant.id !== named) throw refuseOtherTenant(tenant.id, named.slice(0, 100));
  return withAdminReadScope(await admitCaller({ caller }, edgeAdmittedAccess(scopes)));
}

function refuseOtherTenant(own: string, named: string): BatonError {
  return new BatonError(
    'tenant_not_found',
    `Your key is of tenant '${own}', and the path names '${named}'. Write /tenants/${own} in place of /tenants/${named}.`,
  );
}

function refuseKey(caller: CallerAdmission): () => Promise<never> {
  return async () => {
    await admitCaller({ caller }, edgeAdmittedAccess(scopeSchema.options));
    throw new BatonError(
      'insufficient_scope',
      'Tenants are managed with the operator token, not with an API key.',
      { scope: 'operator' },
    );
  };
}

function refusePathWithoutTenant(request: FastifyRequest): () => Promise<never> {
  return async () => {
    const url = (request.routeOptions.url ?? '').replace('/v1', '/v1/tenants/:tenant');
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    if (!request.server.hasRoute({ method: request.method as HTTPMethods, url }))
      throw new BatonError(
        'insufficient_scope',
        'This is for API keys of a tenant, and not for the operator.',
        {
          scope: 'mcp',
        },
      );
    throw new BatonError('invalid_arguments', `The operator token names its tenant in the path: ${path}.`, {
      field: 'tenant',
    });
  };
}

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | undefined;
  return () => (outcome ??= run());
}

declare module 'fastify' {
  interface FastifyRequest {
    restRequest: RestRequest | null;
  }
}
