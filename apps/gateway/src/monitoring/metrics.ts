import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { credentialOf } from '../edge/credential.ts';
import type { EdgeMetrics } from '../edge/limits/edge-metrics.ts';

/** Prometheus' view of this replica, at `/metrics`; needs the operator token unless it is opened. */
export function serveMetrics(app: FastifyInstance, store: Store, open: boolean, edge: EdgeMetrics): void {
  const registry = new Registry();
  for (const metric of edge.all) registry.registerMetric(metric as Metric);
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'baton_http_request_seconds',
    help: 'HTTP requests by route, method and status; a held request counts its holding',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [registry],
  });
  const jobs = new Gauge({
    name: 'baton_queue_jobs',
    help: 'BullMQ jobs by queue and state, all shards together',
    labelNames: ['queue', 'state'],
    registers: [registry],
  });
  const paused = new Gauge({
    name: 'baton_queues_paused',
    help: 'BullMQ queues that an operator has paused',
    registers: [registry],
  });
  const readQueues = async () => {
    const [counts, queues] = await Promise.all([store.jobCounts(), store.pausedQueues()]);
    jobs.reset();
    for (const { queue, state, count } of counts) jobs.inc({ queue, state }, count);
    paused.set(queues.length);
  };
  // Labels are checked and looked up at each use: those that were met before are cached. There are few.
  const cached = new Map<string, Histogram.Internal<'route' | 'method' | 'status'>>();
  app.addHook('onResponse', (request, reply, done) => {
    const [route = 'unknown', { method }, status] = [request.routeOptions.url, request, reply.statusCode];
    const name = `${status} ${method} ${route}`;
    const one = cached.get(name) ?? requests.labels({ route, method, status });
    cached.set(name, one);
    one.observe(reply.elapsedTime / 1_000);
    done();
  });
  app.get(
    '/metrics',
    { config: { isPublic: open, access: { kind: 'operator' } } },
    async (request, reply) => {
      if (!open && credentialOf(request).kind !== 'operator') {
        throw new BatonError('insufficient_scope', '/metrics needs the operator token.', {
          scope: 'operator',
        });
      }
      // Without Redis the process still serves its own metrics.
      await readQueues().catch(() => jobs.reset());
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  );
}
