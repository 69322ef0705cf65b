import type { Command } from 'commander';
import type { KeyAction, KeyFlags } from '../operator/run-keys.ts';
import type { TenantAction, TenantFlags } from '../operator/run-tenants.ts';
import { repeated, withEndpoint } from './shared-options.ts';

const TOOLS = [
  '--tools <tools>',
  'core, standard or all, or names of tools with commas between them',
] as const;
const DIALECT = [
  '--dialect <dialect>',
  'tool, sampling, input_required or task, for clients whose calls name none (docs/dialects.md)',
] as const;

/** Tenants and keys: what an operator does, and an admin of a tenant with its keys. */
export function addOperatorCommands(program: Command): void {
  const tenants = program
    .command('tenants')
    .description('list, create and change tenants, with BATON_OPERATOR_TOKEN (docs/operating.md)')
    .addHelpText(
      'after',
      `
  $ baton tenants create acme --limit requestsPerSecond=500
  $ baton keys create first --tenant acme --scope mcp`,
    );
  const addTenantAction = (
    action: TenantAction,
    operands: string,
    description: string,
    isDefault = false,
  ) => {
    const command = withEndpoint(tenants.command(`${action} ${operands}`.trimEnd(), { isDefault }))
      .description(description)
      .option('--name <text>', 'what people call it')
      .option('--limit <name=n>', 'one of its limits; may be repeated', repeated);
    command.action(async () => {
      const { runTenants } = await import('../operator/run-tenants.ts');
      process.exitCode = await runTenants(action, command.args, command.opts<TenantFlags>(), process.env);
    });
  };
  addTenantAction('list', '', 'list the tenants', true);
  addTenantAction('show', '<id>', 'show a tenant with its limits and what it uses of them');
  addTenantAction('create', '<id>', 'create a tenant');
  addTenantAction('change', '<id>', 'change its name or its limits');
  addTenantAction('suspend', '<id>', 'refuse its keys; its tasks stay as they are');
  addTenantAction('resume', '<id>', 'take its keys again');

  const keys = program
    .command('keys')
    .description(
      'list, create, change, rotate and revoke the API keys of a tenant: your own as its admin, any with --tenant',
    );
  const addKeyAction = (
    action: KeyAction,
    operands: string,
    description: string,
    isDefault = false,
  ): Command => {
    const command = withEndpoint(keys.command(`${action} ${operands}`.trimEnd(), { isDefault }));
    command.description(description).action(async () => {
      const { runKeys } = await import('../operator/run-keys.ts');
      process.exitCode = await runKeys(action, command.args, command.opts<KeyFlags>(), process.env);
    });
    return command;
  };
  addKeyAction('list', '', 'list the keys', true).option('--limit <n>', 'so many at most (50)');
  addKeyAction('create', '<name>', 'create a key, and print it: it is shown this once')
    .option('--scope <scope>', 'mcp, agent or admin; may be repeated (mcp)', repeated)
    .option('--principal <name>', 'who calls with it; by default the key is its own principal')
    .option('--expires-at <time>', 'when it ends, as 2027-01-31T00:00:00Z')
    .option(...TOOLS)
    .option(...DIALECT);
  addKeyAction('change', '<id>', 'rename a key, or change what its clients are shown')
    .option('--name <text>', 'what people call it')
    .option(...TOOLS)
    .option(DIALECT[0], `${DIALECT[1]}; "" for none`);
  addKeyAction('rotate', '<id>', 'replace a key by one of the same principal and scopes').option(
    '--overlap-seconds <n>',
    'how long the old one is good beside it (0)',
  );
  addKeyAction('revoke', '<id>', 'revoke a key').option('--children', 'also the keys that were made with it');
}
