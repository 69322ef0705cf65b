import { Agent, fetch as undiciFetch } from 'undici';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressGuard, RefusedAddressError } from './address-guard.ts';

/** So many bytes of a reply's header are read. */
const MAX_HEADER_BYTES = 65_536;

/** A reply that is no answer of the endpoint that was called. */
export class RefusedRedirectError extends Error {
  override readonly name = 'RefusedRedirectError';
}

export interface GuardedFetch {
  readonly fetch: typeof fetch;
  /** Ends its connections. */
  close(): Promise<void>;
}

/**
 * `fetch` to public addresses and allowed networks only. What is checked is what is dialled: the name is resolved once, by the
 * connection itself. Redirects are not followed. Connections are not kept: none outlives its call, and tenants share none.
 * Errors: RefusedAddressError, RefusedRedirectError, and those of fetch.
 */
export function createGuardedFetch(guard: AddressGuard): GuardedFetch {
  const agent = new Agent({
    connect: { lookup: lookupWith(guard) },
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const guarded = async (input: unknown, init?: object): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    // A socket looks up names only: an address is dialled as it stands.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) > 0) await guard.resolve(host);
    const reply = await send(url, { ...init, dispatcher: agent, redirect: 'manual' });
    if (reply.status < 300 || reply.status > 399) return reply;
    await reply.body?.cancel();
    throw new RefusedRedirectError(
      `The LLM endpoint answered ${reply.status}, a redirect, which is not followed. Name the address that it leads to.`,
    );
  };
  return { fetch: guarded as typeof fetch, close: () => agent.destroy() };
}

async function send(url: URL, init: object): Promise<Response> {
  try {
    return (await undiciFetch(url, init)) as unknown as Response;
  } catch (thrown) {
    // fetch wraps what its connection fails with.
    const { cause } = thrown as { cause?: unknown };
    throw cause instanceof RefusedAddressError ? cause : thrown;
  }
}

function lookupWith(guard: AddressGuard): LookupFunction {
  return (hostname, { all }, callback) => void answerLookup(guard, hostname, all === true, callback);
}

async function answerLookup(
  guard: AddressGuard,
  hostname: string,
  all: boolean,
  callback: Parameters<LookupFunction>[2],
): Promise<void> {
  try {
    const found = await guard.resolve(hostname);
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  } catch (error) {
    callback(error as NodeJS.ErrnoException, []);
  }
}
