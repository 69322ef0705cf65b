import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A name or an address, and perhaps a port: nothing that a header, a URL or a page would have to escape. */
const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const PROTOCOL = /^https?$/;

/**
 * Refuses a request whose Host or, behind a proxy that is trusted, whose X-Forwarded-Host or X-Forwarded-Proto is not
 * one: what these say is part of URLs in replies. Errors: `invalid_arguments`.
 */
export function refuseInvalidHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { host } = request.headers;
    // RFC 9112, section 3.2: HTTP/1.1 has one, HTTP/1.0 need not.
    if (host === undefined && request.raw.httpVersion !== '1.0') return done(missingHost());
    if (host !== undefined && !HOST.test(host)) return done(invalidHost('Host', host));
    if (!HOST.test(request.host) && host !== undefined)
      return done(invalidHost('X-Forwarded-Host', request.host));
    if (!PROTOCOL.test(request.protocol)) return done(invalidHost('X-Forwarded-Proto', request.protocol));
    done();
  });
}

/** Where clients reach Baton, without a slash at its end: as configured, else as the request says. */
export function publicUrl({ server, protocol, host }: FastifyRequest): string {
  return server.publicUrl ?? `${protocol}://${host}`;
}

function missingHost(): BatonError {
  return new BatonError('invalid_arguments', 'Host: a request of HTTP/1.1 names its host.', {
    field: 'Host',
  });
}

function invalidHost(header: string, value: string): BatonError {
  const wanted = header === 'X-Forwarded-Proto' ? 'http or https' : 'a host name, with a port or without';
  return new BatonError('invalid_arguments', `${header}: '${value.slice(0, 100)}' is not ${wanted}.`, {
    field: header,
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** BATON_PUBLIC_URL, without a slash at its end. */
    publicUrl: string | undefined;
  }
}
