import { BatonError } from '@baton/protocol';
import { TaskMetrics } from '@baton/runner';
import type { Store } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { credentialOf } from '../edge/credential.ts';
import type { EdgeMetrics } from '../edge/limits/edge-metrics.ts';
import { EventMetrics } from './event-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

/** Prometheus' view of one replica, of all its listeners. */
export class GatewayMetrics {
  readonly requests = new RequestMetrics();
  readonly events: EventMetrics;
  private readonly registry = new Registry();
  private readonly store: Store;
  private readonly streams: (() => number)[] = [];
  private readonly jobs = new Gauge({
    name: 'baton_queue_jobs',
    help: 'BullMQ jobs by queue and state, all shards together',
    labelNames: ['queue', 'state'],
    registers: [this.registry],
  });
  private readonly pending = new Gauge({
    name: 'baton_pending_interactions',
    help: 'Interactions of all tenants that wait for an answer, by how long they have waited',
    labelNames: ['age'],
    registers: [this.registry],
  });
  private readonly paused = new Gauge({
    name: 'baton_queues_paused',
    help: 'BullMQ queues that an operator has paused',
    registers: [this.registry],
  });

  constructor(store: Store, edge: EdgeMetrics) {
    const { registry, streams } = this;
    this.store = store;
    this.events = new EventMetrics(registry, new TaskMetrics(registry, store));
    for (const metric of edge.all) registry.registerMetric(metric as Metric);
    registry.registerMetric(this.requests.seconds as unknown as Metric);
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: 'baton_streams',
      help: 'Open notification streams',
      registers: [registry],
      collect() {
        this.set(streams.reduce((sum, count) => sum + count(), 0));
      },
    });
  }

  /** Counts the notification streams of a listener. */
  countStreams(count: () => number): void {
    this.streams.push(count);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Without Redis the process still reports its own. */
  async report(): Promise<string> {
    await Promise.all([
      this.readQueues().catch(() => this.jobs.reset()),
      this.readPending().catch(() => this.pending.reset()),
    ]);
    return this.registry.metrics();
  }

  private async readPending(): Promise<void> {
    for (const { age, count } of await this.store.pendingByAge()) this.pending.set({ age }, count);
  }

  private async readQueues(): Promise<void> {
    const [counts, queues] = await Promise.all([this.store.jobCounts(), this.store.pausedQueues()]);
    this.jobs.reset();
    for (const { queue, state, count } of counts) this.jobs.inc({ queue, state }, count);
    this.paused.set(queues.length);
  }
}

/** `/metrics` needs the operator token unless it is opened. */
export function serveMetrics(app: FastifyInstance, metrics: GatewayMetrics, open: boolean): void {
  app.get(
    '/metrics',
    { config: { isPublic: open, access: { kind: 'operator' } } },
    async (request, reply) => {
      if (!open && credentialOf(request).kind !== 'operator') {
        throw new BatonError('insufficient_scope', '/metrics needs the operator token.', {
          scope: 'operator',
        });
      }
      return reply.type(metrics.contentType).send(await metrics.report());
    },
  );
}
