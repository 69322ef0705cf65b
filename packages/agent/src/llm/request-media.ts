import { isIP } from 'node:net';
import { LlmCallFailure } from '../api/llm-call-failure.ts';

/**
 * Pictures, sounds and files of a request. Their bytes may stand in the request; an address is passed to the LLM's
 * endpoint only for a host that the agent's owner listed, since whoever fetches it stands in another network than the
 * request's caller: a metadata service or a neighbour of the endpoint may be reachable from there.
 */
export class RequestMedia {
  private readonly hosts: ReadonlySet<string>;

  /** @param hosts names of hosts, such as `images.example.com`; no addresses, and no names of private networks. */
  constructor(hosts: readonly string[]) {
    const refused = hosts.find((host) => !isPublicHostName(host));
    if (refused !== undefined)
      throw new RangeError(`'${refused}' is no public host name, such as images.example.com`);
    this.hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** The address of a picture. Errors: LlmCallFailure `address_refused` for one that is not passed on. */
  allowedUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isAllowed =
      url?.protocol === 'https:' &&
      url.port === '' &&
      url.username === '' &&
      url.password === '' &&
      this.hosts.has(url.hostname);
    if (url !== undefined && isAllowed) return url;
    throw new LlmCallFailure(
      'address_refused',
      `The request has an image_url of ${url?.origin ?? 'an unreadable address'}, which is not passed on to the LLM's endpoint. Send the picture as a data: URL.`,
    );
  }
}

/** Base64 as it is, for the `ai` package takes other text for an address. Errors: LlmCallFailure `address_refused`. */
export function requireBase64(data: string): string {
  if (/^[A-Za-z0-9+/_\-\s]*={0,2}$/.test(data.trimEnd())) return data;
  throw new LlmCallFailure(
    'address_refused',
    'The request has a picture, sound or file whose data is not base64. Send its bytes in base64.',
  );
}

/** A media type, or the one to take for a text that is none. */
export function mediaTypeOrDefault(given: unknown, otherwise: string): string {
  return typeof given === 'string' && /^[\w.+-]{1,60}\/[\w.+*-]{1,100}$/.test(given) ? given : otherwise;
}

/** Names that only a private network resolves: those without a dot, and those that are set aside for it. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i;

export function isPublicHostName(host: string): boolean {
  const address = `https://${host}/`;
  if (!/^[a-z0-9.-]{1,253}$/i.test(host) || !URL.canParse(address)) return false;
  // Other spellings of an IP address, such as 2852039166, are one when they are parsed.
  const { hostname } = new URL(address);
  const isName = hostname === host.toLowerCase() && isIP(hostname) === 0 && hostname.includes('.');
  return isName && !PRIVATE_NAMES.test(hostname);
}
