import type { Scope } from '@baton/protocol';

/** Who may use a route, declared beside it: `admission` enforces it and `openapi` shows it. */
export type RouteAccess =
  /** The operator, and nobody else. */
  | { readonly kind: 'operator' }
  /**
   * A key with any of the scopes in `need`; the request is its tenant's. `carried`: the handler's own script checks
   * the key, which saves a call to Redis and lets an answer be the last thing that a rate limit refuses.
   */
  | { readonly kind: 'key'; readonly need: readonly Scope[]; readonly carried: boolean }
  /**
   * The operator, or a key of the very tenant that the path names as `:tenant`, which has the scope `admin` and any of
   * those in `need`.
   */
  | { readonly kind: 'path'; readonly need: readonly Scope[] };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every REST route that is not `open` declares it; one that does not is refused when the server starts. */
    access?: RouteAccess;
    /** The statuses of its problems, beside those that every route may answer with. */
    problems?: readonly number[];
  }
}
