import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { credentialOf } from '../edge/credential.ts';
import type { EdgeMetrics } from '../edge/limits/edge-metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';

/** Prometheus' view of this replica, at `/metrics`; needs the operator token unless it is opened. */
export function serveMetrics(
  app: FastifyInstance,
  store: Store,
  open: boolean,
  counted: { readonly edge: EdgeMetrics; readonly requests: RequestMetrics },
): void {
  const registry = new Registry();
  for (const metric of counted.edge.all) registry.registerMetric(metric as Metric);
  registry.registerMetric(counted.requests.seconds as unknown as Metric);
  collectDefaultMetrics({ register: registry });
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
