import { homedir } from 'node:os';
import { join } from 'node:path';

/** What every link may look at, and whom it tells about slow work. */
export interface Search {
  /** The Docker client is the one that reads `process.env` itself; all else goes by this. */
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly say: (line: string) => void;
}

/** A link that has nothing to give, and why, in words that fit after a colon. */
export interface Miss {
  readonly missing: string;
}

/** The parts of a search that a caller may choose. */
export interface SearchOptions {
  /** Environment to search by; `process.env` by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where fetched servers are kept; `$XDG_CACHE_HOME/baton` or `~/.cache/baton` by default. */
  readonly cacheDir?: string;
  /** Told one line before anything that takes seconds; silent by default. */
  readonly say?: (line: string) => void;
}

/** Fills in what the caller left out. */
export function searchWith(options: SearchOptions): Search {
  const env = options.env ?? process.env;
  return {
    env,
    cacheDir: options.cacheDir ?? defaultCacheDir(env),
    say: options.say ?? (() => {}),
  };
}

function defaultCacheDir(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'baton');
}
