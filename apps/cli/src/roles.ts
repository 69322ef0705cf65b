import {
  type GatewayConfiguration,
  makeLog,
  replicaName,
  type RunningGateway,
  startGateway,
} from '@baton/gateway';
import { type Operation, testOperations } from '@baton/operations';
import { serveHealth, startWorker } from '@baton/worker';
import { Store } from '@baton/store';
import type { Settings } from './environment.ts';
import { watchRedis } from './redis-watch.ts';

/** What a role needs beyond the settings: where Redis is, and the secret that all processes share. */
export interface Deployment {
  readonly redisUrl: string;
  readonly secret: string;
  readonly operatorToken: string | undefined;
}

export interface Running {
  stop(): Promise<void>;
}

/** Starts a gateway with a hold on Redis of its own. */
export async function runGateway(
  settings: Settings,
  deployment: Deployment,
  { host, unreadyMs }: { host: string; unreadyMs: number },
): Promise<Running & Pick<RunningGateway, 'url'>> {
  const replica = settings.BATON_REPLICA ?? replicaName();
  const log = makeLog(settings.LOG_LEVEL, { role: 'gateway', replica });
  const store = await openStore(settings, deployment, replica);
  const configuration: GatewayConfiguration = {
    host: settings.HOST ?? host,
    port: settings.PORT,
    replica,
    operatorToken: deployment.operatorToken,
    publicUrl: settings.BATON_PUBLIC_URL,
    trustProxy: settings.BATON_TRUST_PROXY,
    allowedOrigins: settings.BATON_ALLOWED_ORIGINS,
    metricsOpen: settings.BATON_METRICS_OPEN,
    unreadyMs: settings.BATON_UNREADY_MS ?? unreadyMs,
    drainMs: settings.BATON_DRAIN_MS,
    shortWay: true,
  };
  const gateway = await startGateway(configuration, store, log, added(settings)).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  const watch = watchRedis(store, log);
  return {
    url: gateway.url,
    async stop() {
      watch.stop();
      log.info('draining');
      await gateway.stop();
      await store.close();
      log.info('stopped');
    },
  };
}

/** Starts a worker with a hold on Redis of its own. */
export async function runWorker(settings: Settings, deployment: Deployment): Promise<Running> {
  const replica = settings.BATON_REPLICA ?? replicaName();
  const log = makeLog(settings.LOG_LEVEL, { role: 'worker', replica });
  const store = await openStore(settings, deployment, replica);
  const worker = startWorker({ drainMs: settings.BATON_DRAIN_MS }, store, log, added(settings));
  let draining = false;
  const { HOST: host = '0.0.0.0', BATON_HEALTH_PORT: port } = settings;
  const signs = { turnedAt: worker.turnedAt, ping: () => store.ping(), draining: () => draining };
  const health = port === undefined ? undefined : await serveHealth({ host, port }, signs);
  const watch = watchRedis(store, log);
  log.info({ healthPort: health?.port }, 'working');
  return {
    async stop() {
      draining = true;
      watch.stop();
      log.info('draining');
      await worker.stop();
      health?.close();
      await store.close();
      log.info('stopped');
    },
  };
}

function added(settings: Settings): ReadonlyMap<string, Operation> {
  return settings.BATON_TEST_OPERATIONS ? testOperations : new Map();
}

export function openStore(settings: Settings, deployment: Deployment, replica: string): Promise<Store> {
  return Store.open({
    url: deployment.redisUrl,
    secret: deployment.secret,
    replica,
    prefix: settings.BATON_REDIS_PREFIX,
    shards: settings.BATON_SHARDS,
    replication: {
      replicas: settings.BATON_REDIS_WAIT_REPLICAS,
      waitMs: settings.BATON_REDIS_WAIT_MS,
    },
    lifetimes: {
      interaction: settings.BATON_INTERACTION_TTL_MS,
      task: settings.BATON_TASK_TTL_MS,
      retention: settings.BATON_RETENTION_MS,
    },
  });
}
