import { cachedBinary } from './cached-binary.ts';
import { dockerContainer } from './docker-container.ts';
import type { RedisSource } from './redis-source.ts';
import { pathBinary } from './path-binary.ts';
import { distributionPackages } from './distribution-packages.ts';

/** Where to look when `REDIS_URL` is not set, in this order: what is here before what has to be fetched. */
export const redisSources: readonly RedisSource[] = [
  pathBinary,
  cachedBinary,
  dockerContainer('redis:7-bookworm'),
  distributionPackages,
];
