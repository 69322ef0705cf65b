/**
 * A real Redis for development and tests, found or fetched.
 *
 * `find-or-start-redis` tries REDIS_URL, then `sources/` in order (PATH, cache, Docker, the distribution's packages);
 * `server/` starts a private server and lets several processes share its data directory;
 * `client/` sends single commands; `system/` is processes, files, ports and the operating system.
 * Imports point from `sources/` and `server/` to `client/` and `system/`.
 */
export { findOrStartRedis } from './find-or-start-redis.ts';
export type { FindRedisOptions } from './find-or-start-redis.ts';
export { findServerBinary } from './find-server-binary.ts';
export type { RedisSource } from './sources/redis-source.ts';
export type { LocalRedis, SourceName } from './sources/local-redis.ts';
export { RedisNotFound } from './sources/redis-not-found.ts';
export type { SourceMiss, SearchContext, SearchOptions } from './sources/search-options.ts';
export type { ServerBinary } from './sources/server-binary.ts';
export { startPrivateRedis } from './start-private-redis.ts';
export type { PrivateRedis, PrivateRedisOptions } from './start-private-redis.ts';
export { startPrivateValkey } from './start-private-valkey.ts';
