import type { LocalRedis } from './local-redis.ts';
import type { SourceMiss, SearchContext } from './search-options.ts';
import type { ServerBinary } from './server-binary.ts';

interface NamedSource {
  /** The name that the failure message lists it under. */
  readonly name: string;
}

/** Provides a program, which `findOrStartRedis` starts in the data directory. */
export interface BinarySource extends NamedSource {
  readonly provides: 'binary';
  find(search: SearchContext): Promise<ServerBinary | SourceMiss>;
}

/** Provides a running server, private to `dir` (absolute, 0700). Called by at most one process per `dir` at a time. */
export interface ServerSource extends NamedSource {
  readonly provides: 'server';
  find(search: SearchContext, dir: string): Promise<LocalRedis | SourceMiss>;
}

/** One place to get a Redis from. It resolves with a `SourceMiss` when the next source is to be tried. */
export type RedisSource = BinarySource | ServerSource;
