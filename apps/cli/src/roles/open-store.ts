import { Store } from '@baton/store';
import { ConfigurationError, type Settings } from '../settings/environment.ts';

/** What a role needs beyond the settings: where Redis is, and the secret that all processes share. */
export interface Deployment {
  readonly redisUrl: string;
  readonly secret: string;
  readonly operatorToken: string | undefined;
  /** Of a Baton on this machine: its dev.json may have been deleted, with the secret of its Redis. */
  readonly anySecret?: boolean;
}

export interface RunningRole {
  stop(): Promise<void>;
}

/** Throws ConfigurationError for a deployment whose secret is one of those before it. */
export async function openStore(settings: Settings, deployment: Deployment, replica: string): Promise<Store> {
  if (settings.BATON_SECRET_PREVIOUS.includes(deployment.secret))
    throw new ConfigurationError(
      'BATON_SECRET_PREVIOUS=(hidden): has the secret that BATON_SECRET is too; leave it out of one of them',
    );
  return Store.open({
    url: deployment.redisUrl,
    secret: deployment.secret,
    previousSecrets: settings.BATON_SECRET_PREVIOUS,
    anySecret: deployment.anySecret,
    replica,
    prefix: settings.BATON_REDIS_PREFIX,
    shards: settings.BATON_SHARDS,
    keyTtl: settings.BATON_KEY_TTL_MS,
    replication: {
      replicas: settings.BATON_REDIS_WAIT_REPLICAS,
      waitMs: settings.BATON_REDIS_WAIT_MS,
      fsync: settings.BATON_REDIS_WAIT_AOF,
    },
    lifetimes: {
      interaction: settings.BATON_INTERACTION_TTL_MS,
      task: settings.BATON_TASK_TTL_MS,
      retention: settings.BATON_RETENTION_MS,
    },
  });
}
