import { BatonError } from '@baton/protocol';

/** The exit codes of the command, as sysexits.h names them where it has one. */
export const EXIT_CODES = {
  ok: 0,
  /** Baton refuses the request, or the task that was waited for failed. */
  refused: 1,
  /** EX_USAGE: the command line is wrong. */
  usage: 64,
  /** EX_UNAVAILABLE: Baton, or an LLM endpoint, cannot be reached or takes nothing now; the same again may succeed. */
  unavailable: 69,
  /** EX_NOPERM: the key is good and may not do this. */
  noPermission: 77,
  /** EX_CONFIG: a setting or a file is missing or wrong, a key that is refused among them. */
  configuration: 78,
} as const;

/** The command line is wrong in a way that only the command knows. */
export class UsageError extends Error {
  readonly exitCode = EXIT_CODES.usage;
}

const NO_PERMISSION = new Set(['insufficient_scope', 'tenant_suspended']);

/** The exit code for what ended a command. */
export function exitCodeFor(error: unknown): number {
  if (error instanceof Error && 'exitCode' in error) return Number(error.exitCode);
  if (!(error instanceof BatonError)) return EXIT_CODES.refused;
  if (NO_PERMISSION.has(error.code)) return EXIT_CODES.noPermission;
  return error.row.repeat ? EXIT_CODES.unavailable : EXIT_CODES.refused;
}
