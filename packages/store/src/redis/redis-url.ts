import type { RedisOptions } from 'ioredis';
import { FailoverSafeConnector } from './failover-safe-connector.ts';

/** Parses the URLs that ioredis does not parse itself: those of clusters and of Sentinels. */

interface Address {
  readonly host: string;
  readonly port: number;
}

type Credentials = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

const CLUSTER = /^redis(s?)\+cluster:\/\/(.+)$/;
const SENTINEL = /^redis(s?)\+sentinel:\/\/([^/]+)\/([^/?]+)(?:\/(\d+))?(?:\?sentinelPassword=(.*))?$/;

export function isClusterUrl(url: string): boolean {
  return CLUSTER.test(url);
}

/** The nodes that a cluster's URL names, and the options of a connection to one of them. */
export function parseClusterUrl(url: string): { nodes: Address[]; nodeOptions: Credentials } {
  const [, tls, list = ''] = CLUSTER.exec(url) ?? [];
  return {
    nodes: parseNodes(list, 6379),
    nodeOptions: { ...parseCredentials(list), ...(tls ? { tls: {} } : {}) },
  };
}

/**
 * How to find the master that Sentinels watch: `redis+sentinel://[user:password@]host:port,host:port/<master>[/<db>]`,
 * with `?sentinelPassword=...` where the Sentinels have one of their own. `rediss` speaks TLS to them and to Redis.
 * Undefined for other URLs.
 */
export function parseSentinelUrl(url: string): Omit<RedisOptions, 'replyMapping'> | undefined {
  const [, tls, list = '', name, db, sentinelPassword] = SENTINEL.exec(url) ?? [];
  if (name === undefined) return undefined;
  return {
    sentinels: parseNodes(list, 26379),
    name: decodeURIComponent(name),
    ...parseCredentials(list),
    ...(db ? { db: Number(db) } : {}),
    ...(sentinelPassword ? { sentinelPassword: decodeURIComponent(sentinelPassword) } : {}),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    // A master that hangs keeps its connections: the Sentinels report the failover.
    failoverDetector: true,
    Connector: FailoverSafeConnector as NonNullable<RedisOptions['Connector']>,
    // When that report is missed. Longer than the longest wait of all: a BullMQ worker's for a job.
    socketTimeout: 20_000,
    sentinelRetryStrategy: (times) => Math.min(1_000, 50 * times),
    sentinelReconnectStrategy: (times: number) => Math.min(1_000, 50 * times),
    sentinelCommandTimeout: 2_000,
    connectTimeout: 2_000,
  };
}

function parseNodes(list: string, standard: number): Address[] {
  return list
    .replace(/^.*@/, '')
    .split(',')
    .map((node) => {
      const [host = '', port = String(standard)] = node.split(':');
      return { host, port: Number(port) };
    });
}

function parseCredentials(list: string): { username?: string; password?: string } {
  const [, user, password] = /^([^:@]*):([^@]*)@/.exec(list) ?? [];
  if (password === undefined) return {};
  return { password: decodeURIComponent(password), ...(user ? { username: decodeURIComponent(user) } : {}) };
}
