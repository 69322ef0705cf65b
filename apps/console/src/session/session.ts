import type { OwnKeyReply } from '@baton/gateway/reply-types';
import { RestClient, RestError } from '../rest/rest-client.ts';

/** Who is signed in and where. It lives as long as the page: nothing of it is stored. */
export interface Session {
  readonly client: RestClient;
  /** Whose records are shown; undefined for an operator who has not chosen. */
  readonly tenant: string | undefined;
  readonly who: string;
  /** `operator`, or the scopes of the key. What it may not do, the server refuses. */
  readonly scopes: readonly string[];
}

/** Whether this session may change what only an admin of the tenant, or the operator, may. */
export function isAdmin({ scopes }: Session): boolean {
  return scopes.includes('admin') || scopes.includes('operator');
}

/** Signs in with a key of a tenant or with the operator token. `onEnd` is called when the credential is good no more. Errors: RestError. */
export async function signIn(credential: string, onEnd: () => void): Promise<Session> {
  const client = new RestClient(credential, '/v1', onEnd);
  try {
    const { tenant, principal, scopes } = await client.get<OwnKeyReply>('/key');
    // What a tenant's admins manage is reached by its path.
    const own = scopes.includes('admin') ? client.at(tenantPath(tenant)) : client;
    return { client: own, tenant, who: principal, scopes };
  } catch (error) {
    // The operator token has no key to show, and is refused here only for that.
    if (!(error instanceof RestError) || error.code !== 'insufficient_scope') throw error;
  }
  await client.get('/tenants');
  return { client, tenant: undefined, who: 'operator', scopes: ['operator'] };
}

/** The operator's session with a tenant. */
export function inTenant(session: Session, tenant: string): Session {
  return { ...session, tenant, client: session.client.at(tenantPath(tenant)) };
}

function tenantPath(tenant: string): string {
  return `/v1/tenants/${encodeURIComponent(tenant)}`;
}
