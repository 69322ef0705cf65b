import { cached } from './cached.ts';
import { inDocker } from './docker.ts';
import type { Link } from './link.ts';
import { onPath } from './on-path.ts';
import { fromPackages } from './packages.ts';

/** Where to look when `REDIS_URL` is not set, in this order: what is here before what has to be fetched. */
export const chain: readonly Link[] = [onPath, cached, inDocker('redis:7-bookworm'), fromPackages];
