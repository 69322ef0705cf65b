import { BatonError } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { credential } from './edge/credential.ts';

/** Prometheus' view of this replica, at `/metrics`; needs the operator token unless it is opened. */
export function serveMetrics(app: FastifyInstance, open: boolean): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'baton_http_request_seconds',
    help: 'HTTP requests by route, method and status; a held request counts its holding',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [registry],
  });
  // Labels are checked and looked up at each use: those that were met before are kept. There are few.
  const kept = new Map<string, Histogram.Internal<'route' | 'method' | 'status'>>();
  app.addHook('onResponse', (request, reply, done) => {
    const [route = 'unknown', { method }, status] = [request.routeOptions.url, request, reply.statusCode];
    const name = `${status} ${method} ${route}`;
    const one = kept.get(name) ?? requests.labels({ route, method, status });
    kept.set(name, one);
    one.observe(reply.elapsedTime / 1_000);
    done();
  });
  app.get('/metrics', { config: { open } }, async (request, reply) => {
    if (!open && credential(request).kind !== 'operator') {
      throw new BatonError('insufficient_scope', '/metrics needs the operator token.', { scope: 'operator' });
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
