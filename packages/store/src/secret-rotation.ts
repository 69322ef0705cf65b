import { modelRoleSchema } from '@baton/protocol';
import { storeInternalsOf } from './store-internals.ts';
import type { Store } from './store.ts';
import type { ApiKeyInfo } from './tenant/api-keys.ts';

const PAGE_SIZE = 100;

/** What a tenant has of the secrets before the current one. */
export interface TenantSecrets {
  readonly tenant: string;
  /** The roles whose keys of LLM endpoints were sealed with the current secret just now. */
  readonly resealed: readonly string[];
  /** The roles with keys that no known secret opens. */
  readonly unreadable: readonly string[];
  /** The keys that have not called since the secret is current: they end with the secret that hashed them. */
  readonly unseenKeys: readonly ApiKeyInfo[];
}

/**
 * Moves what all tenants have stored to the current secret, one tenant after the other: keys of LLM endpoints are sealed anew. An API
 * key cannot be, since only its HMAC is known: those that have not called yet are named. Errors: `unavailable`.
 */
export async function* moveToCurrentSecret(store: Store): AsyncGenerator<TenantSecrets> {
  const { connection, keyspace } = storeInternalsOf(store);
  for (let from = '-'; ; ) {
    const ids = await connection.command((client) =>
      client.zrange(keyspace.tenants, from, '+', 'BYLEX', 'LIMIT', 0, PAGE_SIZE),
    );
    for (const id of ids) yield await moveTenant(store, id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < PAGE_SIZE) return;
    from = `(${last}`;
  }
}

async function moveTenant(store: Store, tenant: string): Promise<TenantSecrets> {
  const { roles, apiKeys } = store.tenant(tenant);
  const resealed: string[] = [];
  for (const role of modelRoleSchema.options) if (await roles.reseal(role)) resealed.push(role);
  const unreadable = [...(await roles.read())].filter(([role, { routes }]) =>
    routes.some((route) => route.kind !== 'agent' && roles.openKey(role, route) === 'unreadable'),
  );
  return {
    tenant,
    resealed,
    unreadable: unreadable.map(([role]) => role),
    unseenKeys: await apiKeys.hashedBefore(),
  };
}
