import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';

type Labels = 'route' | 'method' | 'status';

/** The requests of a replica, of all its listeners. */
export class RequestMetrics {
  readonly seconds = new Histogram<Labels>({
    name: 'baton_http_request_seconds',
    help: 'HTTP requests by route, method and status; a held request counts its holding',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [],
  });
  /** Labels are checked and looked up at each use: those that were met before are kept. There are few. */
  private readonly met = new Map<string, Histogram.Internal<Labels>>();

  /** Counts the requests of a listener. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const [route = 'unknown', { method }, status] = [request.routeOptions.url, request, reply.statusCode];
      const name = `${status} ${method} ${route}`;
      const one = this.met.get(name) ?? this.seconds.labels({ route, method, status });
      this.met.set(name, one);
      one.observe(reply.elapsedTime / 1_000);
      done();
    });
  }
}
