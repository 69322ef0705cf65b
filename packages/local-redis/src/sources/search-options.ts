import { homedir } from 'node:os';
import { join } from 'node:path';

/** What every source gets: the environment, the cache directory and a progress callback. */
export interface SearchContext {
  /** The Docker client is the one that reads `process.env` itself; all else goes by this. */
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly onProgress: (line: string) => void;
}

/** A source that has no Redis; `missing` is the reason, in words that fit after a colon. */
export interface SourceMiss {
  readonly missing: string;
}

/** The parts of a search that a caller may choose. */
export interface SearchOptions {
  /** Environment to search by; `process.env` by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where fetched servers are kept; `$XDG_CACHE_HOME/baton` or `~/.cache/baton` by default. */
  readonly cacheDir?: string;
  /** Called with one line before anything that takes seconds; a no-op by default. */
  readonly onProgress?: (line: string) => void;
}

/** Fills in what the caller left out. */
export function resolveSearchOptions(options: SearchOptions): SearchContext {
  const env = options.env ?? process.env;
  return {
    env,
    cacheDir: options.cacheDir ?? defaultCacheDir(env),
    onProgress: options.onProgress ?? (() => {}),
  };
}

function defaultCacheDir(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'baton');
}
