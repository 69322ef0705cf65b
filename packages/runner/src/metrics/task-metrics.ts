import type { Store } from '@baton/store';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What gateways and workers report alike: each counts what it does, and the sum over all is the whole. */
export class TaskMetrics {
  private readonly parks = new Counter({
    name: 'baton_parked_tasks_total',
    help: 'Times that a task began to wait, for an answer or for a time',
    registers: [],
  });
  private readonly ends = new Counter({
    name: 'baton_ended_tasks_total',
    help: 'Tasks that ended, by status and by the code of their error',
    labelNames: ['status', 'code'],
    registers: [],
  });
  private readonly scripts = new Histogram({
    name: 'baton_redis_call_seconds',
    help: 'Calls of Redis by script, what they waited for their batch included',
    labelNames: ['script'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5],
    registers: [],
  });
  /** Labels are looked up at each use: those that were met before are kept. There are as many as scripts. */
  private readonly byScript = new Map<string, Histogram.Internal<'script'>>();

  constructor(registry: Registry, store: Store) {
    for (const metric of [this.parks, this.ends, this.scripts]) registry.registerMetric(metric as never);
    new Gauge({
      name: 'baton_redis_up',
      help: 'Whether Redis answers this process and takes writes: 1 or 0',
      registers: [registry],
      collect() {
        this.set(store.redisMemory.usable ? 1 : 0);
      },
    });
    new Gauge({
      name: 'baton_redis_memory_used_ratio',
      help: 'The share of its maxmemory that Redis uses, the fullest server of a cluster; 0 without a limit',
      registers: [registry],
      collect() {
        this.set(store.redisMemory.usedShare);
      },
    });
    store.onScript((name, ms) => {
      let one = this.byScript.get(name);
      if (one === undefined) {
        one = this.scripts.labels({ script: name.slice(name.lastIndexOf('/') + 1) });
        this.byScript.set(name, one);
      }
      one.observe(ms / 1_000);
    });
  }

  countPark(): void {
    this.parks.inc();
  }

  /** `code` of the error with which it failed; '' of other ends. */
  countEnd(status: string, code: string): void {
    this.ends.inc({ status, code });
  }
}
