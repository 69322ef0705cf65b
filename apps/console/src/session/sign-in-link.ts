import { RestClient } from '../rest/rest-client.ts';

const LINK = /^#key=([^&]+)$/;

/** The key of a sign-in link, taken out of the page's address so that it stands in no history; undefined without one. */
export function takeLinkKey(): string | undefined {
  const [, key] = LINK.exec(location.hash) ?? [];
  if (key === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  return decodeURIComponent(key);
}

/**
 * The key that takes the place of a link's: the link's ends with it, so a link signs in once. Errors: RestError, `unauthenticated` for one
 * that was used or has expired.
 */
export async function redeemLinkKey(linkKey: string): Promise<string> {
  const client = new RestClient(linkKey, '/v1');
  const { tenant, id } = await client.get<{ tenant: string; id: string }>('/key');
  const path = `/tenants/${encodeURIComponent(tenant)}/keys/${encodeURIComponent(id)}/rotate`;
  const { key } = await client.post<{ key: string }>(path, { overlapSeconds: 0 });
  return key;
}
