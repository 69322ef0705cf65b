import type { ApiKeyParts, Scope } from '@baton/protocol';
import type { Identity, TenantStore } from '@baton/store';

/** Who holds a notification stream, and how it is admitted again while the stream is open. */
export interface StreamHolder {
  /** Streams of one credential for one use are checked together, and share what their tenant may have of streams. */
  readonly id: string;
  readonly credentialId: string;
  /** Errors: `unauthenticated`, `insufficient_scope`, `tenant_suspended`, `unavailable`. */
  recheck(): Promise<Identity>;
}

/** The holder of a key that has any of `scopes`. `sightOf`: what such a caller sees there, where that is more than its scopes say. */
export function keyHolder(
  tenant: TenantStore,
  key: ApiKeyParts,
  scopes: readonly Scope[],
  sightOf: (identity: Identity) => Identity = (identity) => identity,
): StreamHolder {
  return {
    id: `${key.text} ${scopes.join(' ')}`,
    credentialId: key.id,
    recheck: async () => sightOf(await tenant.caller(key, 0).recheck(scopes)),
  };
}

/** The operator, whom nothing of a tenant refuses. */
export function operatorHolder(identity: Identity): StreamHolder {
  return { id: 'operator', credentialId: 'operator', recheck: async () => identity };
}
