import { BatonError } from '@baton/protocol';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/**
 * A connection to one Redis, Valkey or cluster, by URL: `redis://`, `rediss://` (TLS), `unix:///path`, and
 * `redis+cluster://host:port,host:port` or `rediss+cluster://...`.
 *
 * What Redis cannot do now is `unavailable`: the caller hears of it within `COMMAND_TIMEOUT`, and may repeat.
 */
export const COMMAND_TIMEOUT = 5_000;

export class Connection {
  readonly client: Redis | Cluster;
  private readonly url: string;
  private gathering = false;

  private constructor(url: string) {
    this.url = url;
    this.client = connect(url, PROMPT);
  }

  /** Connects, and refuses a server that Baton would lose work on. Errors: `unavailable`. */
  static async open(url: string): Promise<Connection> {
    const connection = new Connection(url);
    try {
      await connection.whenReady();
      await connection.refuseUnsafe();
    } catch (error) {
      connection.client.disconnect();
      throw error;
    }
    return connection;
  }

  /** Another connection to the same place that waits as long as it takes: for BullMQ's workers. */
  patient(): Redis | Cluster {
    return connect(this.url, PATIENT);
  }

  /**
   * A connection for subscribing, to any one node: a cluster carries what is published to all. `ready` tells of each
   * reconnection, which ioredis's Cluster keeps to itself for the connection that it subscribes with.
   */
  subscriber(): Redis {
    if (!(this.client instanceof Cluster)) return connect(this.url, PATIENT) as Redis;
    const { nodes, own } = clusterOf(this.url);
    let tried = 0;
    const client = new Redis({
      ...PATIENT,
      ...own,
      ...nodes[0],
      retryStrategy: (times) => {
        Object.assign(client.options, nodes[++tried % nodes.length]);
        return PATIENT.retryStrategy(times);
      },
    });
    client.on('error', () => {});
    return client;
  }

  /** EVALSHA, or EVAL where the server does not know the script yet. */
  async evaluate(
    source: string,
    sha: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown[]> {
    this.gather();
    try {
      return (await this.client.evalsha(sha, keys.length, ...keys, ...args)) as unknown[];
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw asUnavailable(error);
    }
    try {
      return (await this.client.eval(source, keys.length, ...keys, ...args)) as unknown[];
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /** Runs plain commands under the same translation of failures. */
  async command<T>(call: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    try {
      return await call(this.client);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Commands of one turn of the event loop leave in one write: a system call each would cost more than the command.
   */
  private gather(): void {
    const stream = this.client instanceof Redis ? this.client.stream : undefined;
    if (stream === undefined || this.gathering) return;
    this.gathering = true;
    stream.cork();
    setImmediate(() => {
      this.gathering = false;
      stream.uncork();
    });
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }

  private async whenReady(): Promise<void> {
    if (this.client.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      let last = 'it did not answer in time';
      const noted = (error: Error) => {
        last = error.message || error.name;
      };
      const timer = setTimeout(() => reject(unreachable(this.url, last)), COMMAND_TIMEOUT);
      this.client.on('error', noted);
      this.client.once('ready', () => {
        clearTimeout(timer);
        this.client.off('error', noted);
        resolve();
      });
    });
  }

  private async refuseUnsafe(): Promise<void> {
    const infos = await this.command((client) =>
      Promise.all(
        (client instanceof Cluster ? client.nodes('master') : [client]).map((node) => node.info('memory')),
      ),
    );
    for (const info of infos) {
      const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
      if (policy === undefined || policy === 'noeviction') continue;
      throw new BatonError(
        'unavailable',
        `Redis at ${withoutPassword(this.url)} has maxmemory-policy ${policy}: it would evict parked work when it is full. ` +
          'Set maxmemory-policy noeviction and start again.',
      );
    }
  }
}

const RECONNECT = { retryStrategy: (times: number) => Math.min(1_000, 50 * times) };

/** A caller hears "unavailable" now rather than an answer in a minute; the client goes on reconnecting behind it. */
const PROMPT = {
  ...RECONNECT,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: COMMAND_TIMEOUT,
} satisfies RedisOptions;

const PATIENT = { ...RECONNECT, enableOfflineQueue: true, maxRetriesPerRequest: null } satisfies RedisOptions;

function connect(url: string, options: typeof PROMPT | typeof PATIENT): Redis | Cluster {
  const client = connectTo(url, options);
  // Each command carries its own failure to its caller; without a listener ioredis prints every reconnection.
  client.on('error', () => {});
  return client;
}

function connectTo(url: string, options: typeof PROMPT | typeof PATIENT): Redis | Cluster {
  if (CLUSTER_URL.test(url)) {
    const { nodes, own } = clusterOf(url);
    const { retryStrategy, enableOfflineQueue, ...forNodes } = options;
    return new Cluster(nodes, {
      redisOptions: { ...forNodes, ...own },
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
    });
  }
  if (url.startsWith('unix://')) return new Redis(decodeURIComponent(url.slice('unix://'.length)), options);
  return new Redis(url, options);
}

const CLUSTER_URL = /^redis(s?)\+cluster:\/\/(.+)$/;

/** The nodes that a cluster's URL names, and what each connection to one of them needs. */
function clusterOf(url: string): {
  nodes: { host: string; port: number }[];
  own: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
} {
  const [, tls, list = ''] = CLUSTER_URL.exec(url) ?? [];
  return { nodes: nodesOf(list), own: { ...credentialsOf(list), ...(tls ? { tls: {} } : {}) } };
}

function nodesOf(list: string): { host: string; port: number }[] {
  return list
    .replace(/^.*@/, '')
    .split(',')
    .map((node) => {
      const [host = '', port = '6379'] = node.split(':');
      return { host, port: Number(port) };
    });
}

function credentialsOf(list: string): { username?: string; password?: string } {
  const [, user, password] = /^([^:@]*):([^@]*)@/.exec(list) ?? [];
  if (password === undefined) return {};
  return { password: decodeURIComponent(password), ...(user ? { username: decodeURIComponent(user) } : {}) };
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}

function unreachable(url: string, reason: string): BatonError {
  return new BatonError('unavailable', `Redis at ${withoutPassword(url)} cannot be used: ${reason}`);
}

/** A script's own bug stays what it is; everything else means that Redis could not just now. */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const full = error.message.includes('OOM');
  if (!full && /^(ERR|WRONGTYPE)/.test(error.message)) return error;
  const why = full ? 'its memory is full' : error.message;
  // What the server itself refuses it refuses before anything is written.
  const refused = error.name === 'ReplyError';
  const left = refused ? 'Nothing was changed and nothing is lost' : 'Whether it was taken is not known';
  return new BatonError(
    'unavailable',
    `Redis cannot take this now (${why}). ${left}; repeat the call.`,
    refused ? { taken: false } : {},
  );
}
