import type { Command } from 'commander';

/** The options of every command that talks to a Baton. */
export function withEndpoint(command: Command): Command {
  return command
    .option('--url <url>', "Baton's address (BATON_URL; that of baton dev in this folder)")
    .option('--key <key>', 'an API key of the tenant (BATON_API_KEY)')
    .option('--tenant <id>', 'of an operator: the tenant that is meant (with BATON_OPERATOR_TOKEN)')
    .option('--json', 'print JSON');
}

/** Whose, and how old: see readOriginFilter. */
export function withOrigin(command: Command): Command {
  return command
    .option('--principal <name>', 'only those of calls of this principal')
    .option('--older-than <age>', 'only those that were created before that: 30s, 90m, 2h or 7d ago')
    .option('--newer-than <age>', 'only those that were created since then');
}

/** Of an option that may be given again and again. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
