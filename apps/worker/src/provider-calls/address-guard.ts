import { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Addresses that are not of the public internet (IANA's special-purpose registries, RFC 6890), metadata services included. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's: of each of its machines, though the address is public.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only 2000::/3 is public; within it are tunnels to IPv4 (Teredo, 6to4) and ranges for documentation. */
const PUBLIC_V6 = ['2000::/3'];
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;

/** A name server is waited for so long, in milliseconds, so many times. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** An address that calls may not go to. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/** A name that has no address, by the word of its name servers: asking again would change nothing soon. */
export class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
}

/** What name servers answer of a name that does not exist, or has no address; anything else may pass. */
const UNKNOWN_HOST_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/** Decides which addresses outgoing calls may reach: those of the public internet, and of the networks that the operator allows. */
export class AddressGuard {
  private readonly allowed: BlockList;
  private readonly publicV6 = blockListOf(PUBLIC_V6);
  private readonly notPublic = blockListOf([...NOT_PUBLIC_V4, ...NOT_PUBLIC_V6]);

  /** @param allowed networks in CIDR notation, such as `10.1.0.0/16`. Errors: RangeError naming one that is none. */
  constructor(allowed: readonly string[]) {
    this.allowed = blockListOf(allowed);
  }

  isAllowed(address: string): boolean {
    const version = isIP(address);
    if (version === 0) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    if (this.allowed.check(address, family)) return true;
    if (version === 6 && !this.publicV6.check(address, family)) return false;
    return !this.notPublic.check(address, family);
  }

  /**
   * The addresses of a host, each of which may be dialled. Names are resolved without the thread pool, which a slow name server
   * would otherwise keep from everything else. Errors: RefusedAddressError; UnknownHostError for a name without an address; Error
   * where its name servers give no answer.
   */
  async resolve(host: string): Promise<{ readonly address: string; readonly family: 4 | 6 }[]> {
    const addresses = isIP(host) > 0 ? [host] : await addressesOf(host);
    if (!addresses.every((address) => this.isAllowed(address)))
      throw new RefusedAddressError(
        `The host '${host.slice(0, 100)}' is in a private, local or reserved network, which Baton does not call unless its operator allows that network (BATON_EGRESS_ALLOW).`,
      );
    return addresses.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
  }
}

async function addressesOf(name: string): Promise<string[]> {
  // RFC 6761, section 6.3.
  if (LOCAL_NAME.test(name)) return ['127.0.0.1'];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (found.length > 0) return found;
  const shown = name.slice(0, 100);
  const codes = [v4, v6].map((result) => (result.status === 'rejected' ? result.reason?.code : 'ENODATA'));
  if (codes.every((code) => UNKNOWN_HOST_CODES.has(code)))
    throw new UnknownHostError(`The host '${shown}' has no address: its name servers know none.`);
  throw new Error(`The addresses of the host '${shown}' could not be looked up: ${codes.join(', ')}.`);
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const version = isIP(address);
    const bits = Number(length);
    if (version === 0 || !/^\d{1,3}$/.test(length ?? '') || bits > (version === 4 ? 32 : 128))
      throw new RangeError(`'${network}' is no network in CIDR notation, such as 10.1.0.0/16`);
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
