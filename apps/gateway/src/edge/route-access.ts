import type { FastifyInstance } from 'fastify';
import type { Scope } from '@baton/protocol';
import type { Access } from '../call/call.ts';

/** Who may use a route, declared beside it: the route's plugin enforces it, and OpenAPI shows it. */
export type RouteAccess =
  /** The operator only. */
  | { readonly kind: 'operator' }
  /** A key; the request is its tenant's. */
  | ({ readonly kind: 'key' } & Access)
  /**
   * The operator, or a key of the very tenant that the path names as `:tenant`, which has the scope `admin` and any of
   * `scopes`.
   */
  | { readonly kind: 'path'; readonly scopes: readonly Scope[] };

/** Refuses to start with a route that is neither public nor declares its access. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.isPublic !== true && config?.access === undefined)
      throw new Error(`route ${String(method)} ${url} declares no access`);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route that is not public declares it. */
    access?: RouteAccess;
    /** The statuses of a REST route's problems, beside those that every route may answer with. */
    problems?: readonly number[];
  }
}
