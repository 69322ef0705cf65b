import { RestClient } from '../rest/rest-client.ts';

const LINK = /^#key=([^&]+)$/;

/** Whose key a link has. */
export interface LinkOwner {
  readonly linkKey: string;
  readonly tenant: string;
  readonly principal: string;
  readonly id: string;
}

/**
 * The key of a sign-in link, taken out of the page's address so that it stands in no history; undefined without one, '' for one that
 * cannot be decoded.
 */
export function takeLinkKey(): string | undefined {
  const [, key] = LINK.exec(location.hash) ?? [];
  if (key === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  try {
    return decodeURIComponent(key);
  } catch {
    return '';
  }
}

/** Whose key a link has. Errors: RestError, `unauthenticated` for a key that was used or has expired. */
export async function readLinkOwner(linkKey: string): Promise<LinkOwner> {
  const { tenant, principal, id } = await new RestClient(linkKey, '/v1').get<Omit<LinkOwner, 'linkKey'>>(
    '/key',
  );
  return { linkKey, tenant, principal, id };
}

/**
 * The key that takes the place of a link's: the link's ends with it, so a link signs in once. Errors: RestError, `unauthenticated` for one
 * that was used or has expired.
 */
export async function redeemLinkKey({ linkKey, tenant, id }: LinkOwner): Promise<string> {
  const path = `/tenants/${encodeURIComponent(tenant)}/keys/${encodeURIComponent(id)}/rotate`;
  const { key } = await new RestClient(linkKey, '/v1').post<{ key: string }>(path, { overlapSeconds: 0 });
  return key;
}
