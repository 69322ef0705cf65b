import { LlmCallFailure } from '@baton/agent/llm';
import { type Dispatcher, fetch as undiciFetch } from 'undici';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressGuard, RefusedAddressError, UnknownHostError } from './address-guard.ts';

/**
 * `fetch` to public addresses and allowed networks only, on connections of `dispatcher`, which looks names up by `guardedLookup`. What is
 * checked is what is dialled: the name is resolved once, by the connection itself. A redirect is the reply, and is never followed.
 * Errors: LlmCallFailure `address_refused`, `host_not_found`, and those of fetch.
 */
export function createGuardedFetch(guard: AddressGuard, dispatcher: () => Dispatcher): typeof fetch {
  const guarded = async (input: unknown, init?: object): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    // A socket looks up names only: an address is dialled as it stands.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return send(async () => {
      if (isIP(host) > 0) await guard.resolve(host);
      return undiciFetch(url, { ...init, dispatcher: dispatcher(), redirect: 'manual' });
    });
  };
  return guarded as typeof fetch;
}

/** fetch wraps what its connection fails with. */
async function send(call: () => ReturnType<typeof undiciFetch>): Promise<Response> {
  try {
    return (await call()) as unknown as Response;
  } catch (thrown) {
    for (const error of [thrown, (thrown as { cause?: unknown }).cause]) {
      if (error instanceof RefusedAddressError) throw new LlmCallFailure('address_refused', error.message);
      if (error instanceof UnknownHostError) throw new LlmCallFailure('host_not_found', error.message);
    }
    throw thrown;
  }
}

/** Looks up a name for a connection that is about to be opened, and refuses it where it may not be dialled. */
export function guardedLookup(guard: AddressGuard): LookupFunction {
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
