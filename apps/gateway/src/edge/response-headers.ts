import type { FastifyInstance } from 'fastify';
import { REQUEST_ID_HEADER } from './event-log.ts';

const YEAR_S = 31_536_000;

export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * The headers of every response: which replica it is of, and that it is neither stored nor read as anything but its
 * content type. Where clients use TLS, they are to keep to it (HSTS, RFC 6797).
 */
export function responseHeadersOf({
  replica,
  publicUrl,
}: {
  readonly replica: string;
  readonly publicUrl: string | undefined;
}): ResponseHeaders {
  return {
    'x-baton-replica': replica,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  };
}

/** Gives each response these headers and its request's id. What is refused before there is a route has no hooks: `sendHttpParseError` and `sendRoutingError` add the headers themselves. */
export function addResponseHeaders(app: FastifyInstance, headers: ResponseHeaders): void {
  // Hooks of every request use callbacks: a promise for each would cost more than the hook.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header(REQUEST_ID_HEADER, request.id);
    done();
  });
}
