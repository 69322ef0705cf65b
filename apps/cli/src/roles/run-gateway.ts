import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '@baton/gateway';
import { DEFAULT_EDGE_LIMITS, type GatewayConfiguration } from '@baton/gateway/configuration';
import { generateReplicaName } from '@baton/gateway/replica-name';
import { createLogger } from '@baton/gateway/log';
import type { Store } from '@baton/store';
import type { Settings } from '../settings/environment.ts';
import { logRedisAndQueueState } from './log-redis-and-queue-state.ts';
import { openRoleTracing } from './open-role-tracing.ts';
import { type Deployment, openStore, type RunningRole } from './open-store.ts';
import { enabledSyntheticOperations } from './enabled-synthetic-operations.ts';

/** Where the build puts the console, beside this file's own bundle. */
const CONSOLE_FOLDER = existsSync(join(import.meta.dirname, 'console/index.html'))
  ? join(import.meta.dirname, 'console')
  : undefined;

/** Starts a gateway with a hold on Redis of its own, `store`. */
export async function runGateway(
  settings: Settings,
  deployment: Deployment,
  { host, unreadyMs }: { host: string; unreadyMs: number },
): Promise<
  RunningRole & Pick<RunningGateway, 'url' | 'operatorUrl' | 'conformanceUrl'> & { readonly store: Store }
> {
  const replica = settings.BATON_REPLICA ?? generateReplicaName();
  const log = createLogger(settings.LOG_LEVEL, { role: 'gateway', replica });
  const store = await openStore(settings, deployment, replica);
  const tracing = await openRoleTracing(settings, 'gateway', replica, log);
  const configuration: GatewayConfiguration = {
    host: settings.HOST ?? host,
    port: settings.PORT,
    operatorPort: settings.BATON_OPERATOR_PORT,
    conformancePort: settings.BATON_CONFORMANCE_PORT,
    replica,
    operatorToken: deployment.operatorToken,
    publicUrl: settings.BATON_PUBLIC_URL,
    trustProxy: settings.BATON_TRUST_PROXY,
    allowedOrigins: settings.BATON_ALLOWED_ORIGINS,
    metricsOpen: settings.BATON_METRICS_OPEN,
    tracer: tracing.tracer,
    consoleFolder: CONSOLE_FOLDER,
    unreadyMs: settings.BATON_UNREADY_MS ?? unreadyMs,
    drainMs: settings.BATON_DRAIN_MS,
    edgeLimits: {
      ...DEFAULT_EDGE_LIMITS,
      connections: settings.BATON_MAX_CONNECTIONS,
      connectionsPerAddress: settings.BATON_MAX_CONNECTIONS_PER_ADDRESS,
      connectionsPerKey: settings.BATON_MAX_CONNECTIONS_PER_KEY,
      bufferBytes: settings.BATON_MAX_BUFFER_BYTES,
      bufferBytesPerKey: settings.BATON_MAX_BUFFER_BYTES_PER_KEY,
      writeStallMs: settings.BATON_WRITE_STALL_MS,
      refusedBytesPerSecond: settings.BATON_REFUSED_BYTES_PER_SECOND,
      wrongCredentialsPerSecond: settings.BATON_WRONG_CREDENTIALS_PER_SECOND,
    },
  };
  const gateway = await startGateway(configuration, store, log, enabledSyntheticOperations(settings)).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  const watch = logRedisAndQueueState(store, log);
  return {
    store,
    url: gateway.url,
    operatorUrl: gateway.operatorUrl,
    conformanceUrl: gateway.conformanceUrl,
    async stop() {
      watch.stop();
      log.info('draining');
      await gateway.stop();
      await tracing.close();
      await store.close();
      log.info('stopped');
    },
  };
}
