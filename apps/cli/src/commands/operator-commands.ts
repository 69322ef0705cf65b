import { scopeSchema } from '@baton/protocol';
import type { Command } from 'commander';
import type { TenantAction } from '../operator/run-tenants.ts';
import { addAction, oneOf, repeated, repeatedOneOf } from './shared-options.ts';

const TOOLS = [
  '--tools <tools>',
  'core, standard or all, or names of tools with commas between them',
] as const;
const DIALECTS = ['tool', 'sampling', 'input_required', 'task'];
const DIALECT = [
  '--dialect <dialect>',
  'tool, sampling, input_required or task, for clients whose calls name none (docs/dialects.md)',
] as const;

/** Tenants and keys: what an operator does, and an admin of a tenant with its keys. */
export function addOperatorCommands(program: Command): void {
  const tenants = program
    .command('tenants')
    .description('list, create, change and delete tenants, with BATON_OPERATOR_TOKEN (docs/operating.md)')
    .addHelpText(
      'after',
      `
  $ baton tenants create acme --limit requestsPerSecond=500
  $ baton keys create first --tenant acme --scope mcp`,
    );
  const runTenants = async () => (await import('../operator/run-tenants.ts')).runTenants;
  const addTenantAction = (
    words: TenantAction | `${TenantAction} <id>`,
    description: string,
    isDefault?: boolean,
  ) =>
    addAction(tenants, words, description, runTenants, isDefault)
      .option('--name <text>', 'what people call it')
      .option('--limit <name=n>', 'one of its limits; may be repeated', repeated);
  addTenantAction('list', 'list the tenants', true);
  addTenantAction('show <id>', 'show a tenant with its limits and what it uses of them');
  addTenantAction('create <id>', 'create a tenant');
  addTenantAction('change <id>', 'change its name or its limits');
  addTenantAction('suspend <id>', 'refuse its keys; its tasks stay as they are');
  addTenantAction('resume <id>', 'take its keys again');
  addTenantAction('delete <id>', 'delete a suspended tenant with all that it has; its id is not given again');

  const keys = program
    .command('keys')
    .description(
      'list, create, change, rotate and revoke the API keys of a tenant: your own as its admin, any with --tenant',
    );
  const runKeys = async () => (await import('../operator/run-keys.ts')).runKeys;
  addAction(keys, 'list', 'list the keys', runKeys, true).option('--limit <n>', 'so many at most (50)');
  addAction(keys, 'create <name>', 'create a key, and print it: it is shown this once', runKeys)
    .option(
      '--scope <scope>',
      'mcp, agent or admin; may be repeated (mcp)',
      repeatedOneOf(...scopeSchema.options),
    )
    .option('--principal <name>', 'who calls with it; by default the key is its own principal')
    .option('--expires-at <time>', 'when it ends, as 2027-01-31T00:00:00Z')
    .option(...TOOLS)
    .option(...DIALECT, oneOf(...DIALECTS));
  addAction(keys, 'change <id>', 'rename a key, or change what its clients are shown', runKeys)
    .option('--name <text>', 'what people call it')
    .option(...TOOLS)
    .option(DIALECT[0], `${DIALECT[1]}; "" for none`, oneOf(...DIALECTS, ''));
  addAction(keys, 'rotate <id>', 'replace a key by one of the same principal and scopes', runKeys).option(
    '--overlap-seconds <n>',
    'how long the old one is good beside it (0)',
  );
  addAction(keys, 'revoke <id>', 'revoke a key', runKeys).option(
    '--children',
    'also the keys that were made with it',
  );
}
