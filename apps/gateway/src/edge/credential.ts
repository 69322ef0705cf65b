import { createHash, timingSafeEqual } from 'node:crypto';
import { BatonError, type ApiKeyParts, parseApiKey } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

/** What a request shows of itself, before anyone has looked it up. */
export type Credential = { readonly kind: 'key'; readonly key: ApiKeyParts } | { readonly kind: 'operator' };

/**
 * Reads `Authorization: Bearer` on every route that is not `open`. A missing or malformed credential ends the request
 * before its body is read; whether a well-formed key is valid is for the script of the call to say.
 */
export function installCredentialParser(app: FastifyInstance, operatorToken: string | undefined): void {
  const operatorDigest = operatorToken === undefined ? undefined : digest(operatorToken);
  app.decorateRequest('credential', null);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.isPublic !== true && !request.is404) {
      const { authorization = '' } = request.headers;
      const wanted = request.routeOptions.config.access?.kind === 'operator' ? OPERATOR_TOKEN : API_KEY;
      request.credential = parseCredential(authorization, operatorDigest, wanted);
    }
    done();
  });
}

/** The credential of a request on a route that is not open. */
export function credentialOf(request: FastifyRequest): Credential {
  if (request.credential === null)
    throw new Error(`route ${request.routeOptions.url} reads a credential but is open`);
  return request.credential;
}

/** The API key of a request. Errors: `insufficient_scope` for the operator token. */
export function keyOf(request: FastifyRequest): ApiKeyParts {
  const shown = credentialOf(request);
  if (shown.kind === 'key') return shown.key;
  throw new BatonError(
    'insufficient_scope',
    'The operator token manages tenants; MCP needs an API key of a tenant.',
    { scope: 'mcp' },
  );
}

/** The same keys come again and again: how a header parses is cached, whether its key is valid is not. */
const CACHED_CREDENTIALS = 1_000;
const credentials = new LRUCache<string, Credential>({ max: CACHED_CREDENTIALS });
/** Clients write a key behind one space; a header that is longer than such a one is parsed each time. */
const LONGEST_CACHED_HEADER = 127;

/** What a route asks for: how a header has it, and what is said of one that is neither a key nor the operator token. */
interface WantedCredential {
  readonly placeholder: string;
  readonly unknown: string;
}
const API_KEY: WantedCredential = {
  placeholder: '<API key>',
  unknown:
    'The credential is not a Baton API key (bt_<tenant>_...), or it was mistyped: its checksum is wrong.',
};
const OPERATOR_TOKEN: WantedCredential = {
  placeholder: '<operator token>',
  unknown: "The credential is not the operator token: send the gateway's BATON_OPERATOR_TOKEN.",
};

function parseCredential(
  header: string,
  operatorDigest: Buffer | undefined,
  wanted: WantedCredential,
): Credential {
  const cached = credentials.get(header);
  if (cached !== undefined) return cached;
  const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (token === undefined) {
    throw new BatonError(
      'unauthenticated',
      `This needs a credential: send the header "Authorization: Bearer ${wanted.placeholder}".`,
      { missing: true },
    );
  }
  const key = parseApiKey(token);
  if (key !== undefined) {
    const shown: Credential = { kind: 'key', key };
    if (header.length > LONGEST_CACHED_HEADER) return shown;
    credentials.set(header, shown);
    return shown;
  }
  if (operatorDigest !== undefined && timingSafeEqual(digest(token), operatorDigest))
    return { kind: 'operator' };
  throw new BatonError('unauthenticated', wanted.unknown);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

declare module 'fastify' {
  interface FastifyRequest {
    credential: Credential | null;
  }
  interface FastifyContextConfig {
    /** True for what needs no credential: health, metadata. */
    isPublic?: boolean;
    /** Whether pages of all origins may read it. */
    anyOrigin?: boolean;
  }
}
