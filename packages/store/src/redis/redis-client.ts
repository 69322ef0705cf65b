import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { isClusterUrl, parseClusterUrl, parseSentinelUrl } from './redis-url.ts';

/** A command that has no reply after so many milliseconds fails. */
export const COMMAND_TIMEOUT = 5_000;

const RECONNECT = {
  retryStrategy: (times: number) => Math.min(1_000, 50 * times),
  // A master that was demoted to a replica keeps its connections: a write that it refuses looks for the new master.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** For callers that prefer an error now to a reply in a minute; the client goes on reconnecting. */
const FAIL_FAST = {
  ...RECONNECT,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: COMMAND_TIMEOUT,
} satisfies RedisOptions;

const RETRY_FOREVER = {
  ...RECONNECT,
  enableOfflineQueue: true,
  maxRetriesPerRequest: null,
} satisfies RedisOptions;

/** `PubSub` subscribes again by itself: ioredis would too, by commands whose failure nobody hears of but the process, which it ends. */
const SUBSCRIBER = { ...RETRY_FOREVER, autoResubscribe: false } satisfies RedisOptions;

type ClientOptions = typeof FAIL_FAST | typeof RETRY_FOREVER | typeof SUBSCRIBER;

/** A client whose commands fail within COMMAND_TIMEOUT, and at once while it is not connected. */
export function connectFailFast(url: string): Redis | Cluster {
  return connect(url, FAIL_FAST);
}

/** A client whose commands wait for Redis as long as it takes. */
export function connectRetryForever(url: string): Redis | Cluster {
  return connect(url, RETRY_FOREVER);
}

/**
 * A client for subscribing, to one node: a cluster's nodes pass on to each other what is published. It emits `ready` after
 * each reconnection, which ioredis's Cluster does not for the connection that it subscribes with.
 */
export function connectSubscriber(url: string): Redis {
  if (!isClusterUrl(url)) return connect(url, SUBSCRIBER) as Redis;
  const { nodes, nodeOptions } = parseClusterUrl(url);
  let tried = 0;
  const client = new Redis({
    ...SUBSCRIBER,
    ...nodeOptions,
    ...nodes[0],
    retryStrategy: (times) => {
      Object.assign(client.options, nodes[++tried % nodes.length]);
      return SUBSCRIBER.retryStrategy(times);
    },
  });
  client.on('error', () => {});
  return client;
}

/** The servers that take writes. */
export function mastersOf(client: Redis | Cluster): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** It may write and does nothing, and so is refused where any write is, but for want of memory. */
const WRITE_PROBE = '#!lua flags=allow-oom\nreturn 1';

/** Clients of a replica: a write that it refuses closes the connection (`reconnectOnError`), to look for the master once. */
const replicas = new WeakSet<Redis>();

/** Errors: what a master replies that takes no writes, and those of one that does not answer. All is asked in one round trip. */
export async function pingMasters(client: Redis | Cluster): Promise<void> {
  await Promise.all(mastersOf(client).map(pingMaster));
}

async function pingMaster(master: Redis): Promise<void> {
  const [replication] = await Promise.all([
    master.info('replication'),
    master.ping(),
    replicas.has(master) ? undefined : master.eval(WRITE_PROBE, 0),
  ]).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('READONLY')) replicas.add(master);
    throw error;
  });
  if (!replicas.has(master)) return;
  if (/^role:slave/m.test(replication)) throw new Error('READONLY');
  replicas.delete(master);
}

function connect(url: string, options: ClientOptions): Redis | Cluster {
  const client = newClient(url, options);
  // Each command carries its own failure to its caller; without a listener ioredis prints every reconnection.
  client.on('error', () => {});
  return client;
}

function newClient(url: string, options: ClientOptions): Redis | Cluster {
  if (isClusterUrl(url)) {
    const { nodes, nodeOptions } = parseClusterUrl(url);
    const { retryStrategy, enableOfflineQueue, ...forNodes } = options;
    return new Cluster(nodes, {
      redisOptions: { ...forNodes, ...nodeOptions },
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
    });
  }
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined) return new Redis({ ...sentinel, ...options });
  if (url.startsWith('unix://')) return new Redis(decodeURIComponent(url.slice('unix://'.length)), options);
  return new Redis(url, options);
}
