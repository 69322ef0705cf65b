/**
 * A real Redis for development and tests, found or fetched.
 *
 * `find-redis` walks the chain of links (`given-url`, `on-path`, `cached`, `docker`, `packages`; one file each).
 * `private-server` runs a binary that a link gave, `watched-process` ties its life to ours, and `start-lock` with
 * `running-record` lets several processes share one data directory.
 */
export { findRedis } from './find-redis.ts';
export type { FindRedisOptions } from './find-redis.ts';
export { findServerBinary } from './find-server-binary.ts';
export type { Link } from './link.ts';
export type { LocalRedis, Source } from './local-redis.ts';
export { RedisNotFound } from './redis-not-found.ts';
export type { Miss, Search, SearchOptions } from './search.ts';
export type { ServerBinary } from './server-binary.ts';
export { startPrivateRedis } from './start-private-redis.ts';
export type { PrivateRedis, PrivateRedisOptions } from './start-private-redis.ts';
