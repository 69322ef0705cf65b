import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';

/**
 * Browsers name the page that calls: only known pages may, or any page could speak to a Baton on the same machine or
 * network (DNS rebinding; MCP, basic/transports, security warning). Other clients send no Origin and pass.
 */
export function refuseForeignOrigins(app: FastifyInstance, allowed: readonly string[]): void {
  const known = new Set(allowed.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined || known.has(origin.toLowerCase()) || isLoopback(origin, request.headers.host)) {
      return done();
    }
    const problem = `The origin '${origin.slice(0, 200)}' may not call. Operators allow origins with BATON_ALLOWED_ORIGINS.`;
    done(new BatonError('origin_refused', problem));
  });
}

/** A page of this same server, both on the loopback interface, whose names no DNS can rebind. */
function isLoopback(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false;
  const [page, server] = [new URL(origin), new URL(`http://${host}`)];
  return page.port === server.port && LOOPBACK.has(page.hostname) && LOOPBACK.has(server.hostname);
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
