import type { LocalRedis } from './local-redis.ts';
import type { Miss, Search } from './search.ts';
import type { ServerBinary } from './server-binary.ts';

interface NamedLink {
  /** What was tried, as the failure message lists it. */
  readonly name: string;
}

/** Gives a program; the chain starts it in the data directory. */
export interface BinaryLink extends NamedLink {
  readonly gives: 'binary';
  find(search: Search): Promise<ServerBinary | Miss>;
}

/** Gives a running server, private to `dir` (absolute, 0700). Called by at most one process per `dir` at a time. */
export interface ServerLink extends NamedLink {
  readonly gives: 'server';
  find(search: Search, dir: string): Promise<LocalRedis | Miss>;
}

/** One place to get a Redis from. A link answers with a `Miss` when the next one should be tried. */
export type Link = BinaryLink | ServerLink;
