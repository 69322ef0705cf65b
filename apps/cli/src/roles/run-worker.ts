import { generateReplicaName } from '@baton/gateway/replica-name';
import { createLogger } from '@baton/gateway/log';
import { startMonitoringServer, startWorker } from '@baton/worker';
import type { Settings } from '../settings/environment.ts';
import { logRedisAndQueueState } from './log-redis-and-queue-state.ts';
import { openRoleTracing } from './open-role-tracing.ts';
import { type Deployment, openStore, type RunningRole } from './open-store.ts';
import { enabledSyntheticOperations } from './enabled-synthetic-operations.ts';

/** Starts a worker with a hold on Redis of its own; `healthUrl` is where its probes are answered, if anywhere. */
export async function runWorker(
  settings: Settings,
  deployment: Deployment,
): Promise<RunningRole & { readonly healthUrl: string | undefined }> {
  const replica = settings.BATON_REPLICA ?? generateReplicaName();
  const log = createLogger(settings.LOG_LEVEL, { role: 'worker', replica });
  const store = await openStore(settings, deployment, replica);
  const tracing = await openRoleTracing(settings, 'worker', replica, log);
  const worker = await startWorker(
    {
      drainMs: settings.BATON_DRAIN_MS,
      providerCalls: settings.BATON_PROVIDER_CALLS,
      egressAllow: settings.BATON_EGRESS_ALLOW,
      tracer: tracing.tracer,
    },
    store,
    log,
    enabledSyntheticOperations(settings),
  );
  let draining = false;
  const { HOST: host = '0.0.0.0', BATON_HEALTH_PORT: port } = settings;
  const { operatorToken: token } = deployment;
  const signs = {
    lastTickAt: worker.lastTickAt,
    store,
    draining: () => draining,
    metrics: worker.metrics.registry,
    metricsFor: settings.BATON_METRICS_OPEN
      ? ('everybody' as const)
      : token === undefined
        ? undefined
        : { token },
  };
  const health = port === undefined ? undefined : await startMonitoringServer({ host, port }, signs);
  const watch = logRedisAndQueueState(store, log, { unavailableReason: worker.unavailableReason });
  log.info({ healthPort: health?.port }, 'working');
  return {
    healthUrl:
      health === undefined ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${health.port}`,
    async stop() {
      draining = true;
      watch.stop();
      log.info('draining');
      await worker.stop();
      await tracing.close();
      health?.close();
      await store.close();
      log.info('stopped');
    },
  };
}
