import { basename } from 'node:path';
import type { SourceMiss } from './search-options.ts';
import { runCommand } from '../system/run-command.ts';

/** A server program that ran: `spawn(command, args, { env })` starts it, with `--sentinel` as a sentinel. */
export interface ServerBinary {
  readonly command: string;
  /** The whole environment to start it with, libraries' path included. */
  readonly env: NodeJS.ProcessEnv;
  /** `redis-server` or `valkey-server`. */
  readonly name: string;
  /** As it reports it, e.g. `7.0.15`. */
  readonly version: string;
  readonly source: 'path' | 'cache' | 'packages';
}

/** Scripts that begin with `#!lua`, which the store's do, exist since this one. */
const OLDEST_MAJOR = 7;

/** Runs `command --version`: a file of the right name may be for another machine, lack a library, or be too old. */
export async function probeServerBinary(
  command: string,
  env: NodeJS.ProcessEnv,
  source: ServerBinary['source'],
): Promise<ServerBinary | SourceMiss> {
  const ran = await runCommand(command, ['--version'], { env, limitMs: 10_000 });
  if (!ran.ok) return { missing: `${command} does not run: ${ran.reason}` };
  const version = /\bv=((\d+)\.\d+\.\d+)/.exec(ran.stdout);
  if (!version?.[1] || !version[2]) return { missing: `${command} does not say which version it is` };
  if (Number(version[2]) < OLDEST_MAJOR) {
    return { missing: `${command} is version ${version[1]}; ${OLDEST_MAJOR}.0 or later is needed` };
  }
  return { command, env, name: basename(command), version: version[1], source };
}
