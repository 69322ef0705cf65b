/**
 * A real Redis for development and tests.
 *
 * `findOrStartRedis` runs the Redis of `baton dev` on its data directory, `startPrivateRedis` one of a test's own.
 * Both start what `findServerProgram` finds; only the former falls back to Docker.
 */
export { findOrStartRedis } from './find-or-start-redis.ts';
export type { LocalRedis } from './find-or-start-redis.ts';
export { findServerProgram, RedisNotFound } from './server-program.ts';
export { startPrivateRedis, startPrivateValkey } from './start-private-redis.ts';
export type { PrivateRedis, PrivateRedisOptions } from './start-private-redis.ts';
