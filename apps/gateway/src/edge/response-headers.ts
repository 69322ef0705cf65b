import type { FastifyInstance } from 'fastify';

const YEAR_S = 31_536_000;

/**
 * The headers of every response: which replica it is of, and that it is neither stored nor read as anything but its
 * content type. Where clients use TLS, they are to keep to it (HSTS, RFC 6797).
 */
export function addResponseHeaders(app: FastifyInstance, replica: string): void {
  const headers = {
    'x-baton-replica': replica,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(app.publicUrl?.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
  };
  // Hooks of every request use callbacks: a promise for each would cost more than the hook.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
