/** Which source a Redis came from; `url` is REDIS_URL, `joined` is one that another process already runs. */
export type SourceName = 'url' | 'path' | 'cache' | 'docker' | 'packages' | 'joined';

/** A Redis that answered a PING. */
export interface LocalRedis {
  /** `redis://`, `rediss://`, or `unix:///path/redis.sock`: a path that needs no percent-decoding. */
  readonly url: string;
  readonly source: SourceName;
  /** Ends it where we started it and does nothing where we did not; safe to call more than once. */
  readonly stop: () => Promise<void>;
}
