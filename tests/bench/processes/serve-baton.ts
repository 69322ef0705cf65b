import { createLogger, startGateway } from '@baton/gateway';
import { DEFAULT_EDGE_LIMITS } from '@baton/gateway/configuration';
import { syntheticOperations } from '@baton/operations';
import { Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';
import { openTracing } from '@baton/tracing';
import { startWorker } from '@baton/worker';
import { UNLIMITED } from '../../processes/process-settings.ts';
import { sendToParent } from './parent-process.ts';

/**
 * One gateway or worker with the test operations: `gateway <redis> <name> <tenants to create>` or `worker <redis> <name>`.
 * For each line of input it reports its heap and what its jobs have resumed.
 */
const [role = '', redisUrl = '', name = role, tenants = '0'] = process.argv.slice(2);
const fsync = process.env['BENCH_WAIT_AOF'] === 'true';
const store = await Store.open({
  url: redisUrl,
  secret: 'a secret of the bench',
  replica: name,
  replication: { replicas: 0, waitMs: 4_000, fsync },
});
const log = createLogger('error', { role });
const { tracer } =
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined ? {} : await openTracing(role, name, '0', log);
let resumed = async () => ({ tasks: 0, jobs: 0 });

if (role === 'worker') {
  const { metrics } = await startWorker(
    { drainMs: 1_000, providerCalls: 100, egressAllow: ['127.0.0.0/8'], tracer },
    store,
    log,
    syntheticOperations,
  );
  resumed = async () => {
    const total = async (name: string) => {
      const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
      return values as { value: number; labels: Record<string, string>; metricName?: string }[];
    };
    const sum = (values: readonly { value: number }[]) => values.reduce((all, { value }) => all + value, 0);
    const jobs = await total('baton_jobs_total');
    return {
      tasks: sum(await total('baton_resumed_tasks_total')),
      jobs: sum(jobs.filter(({ labels }) => labels['queue'] === 'resume')),
    };
  };
  sendToParent({ ready: true });
} else {
  const operatorStore = new OperatorStore(store);
  const keys: string[] = [];
  const limits = process.env['BENCH_LIMITS'] === 'default' ? {} : UNLIMITED;
  for (let n = 0; n < Number(tenants); n++) {
    await operatorStore.create({ id: `bench-${n}`, limits });
    keys.push(
      (await store.tenant(`bench-${n}`).apiKeys.create({ name: 'bench', scopes: ['mcp', 'agent', 'admin'] }))
        .key,
    );
  }
  const configuration = {
    host: '127.0.0.1',
    port: 0,
    replica: name,
    operatorToken: undefined,
    publicUrl: undefined,
    trustProxy: false,
    allowedOrigins: [],
    metricsOpen: false,
    tracer,
    unreadyMs: 0,
    drainMs: 1_000,
    // The load comes from one address, with one key a tenant.
    edgeLimits: { ...DEFAULT_EDGE_LIMITS, connectionsPerAddress: 10_000, connectionsPerKey: 10_000 },
  };
  const gateway = await startGateway(configuration, store, log, syntheticOperations);
  sendToParent({ ready: true, url: gateway.url, keys });
}

process.stdin.on('data', () => {
  globalThis.gc?.();
  void resumed().then((all) => sendToParent({ heap: process.memoryUsage().heapUsed, resumed: all }));
});
