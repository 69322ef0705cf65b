import type { Command } from 'commander';
import type { DefinitionPlural } from '../definitions/definition-client.ts';
import type { DefinitionAction, DefinitionFlags } from '../definitions/run-definitions.ts';
import type { RunFlags } from '../workflows/run-workflow.ts';
import { repeated, withEndpoint } from './shared-options.ts';

/** `baton workflows`, `baton agents` and `baton prompts`: what a tenant defines. */
export function addDefinitionCommands(program: Command): void {
  const workflows = program
    .command('workflows')
    .description(
      "a tenant's workflows: prompts that Baton runs, and hands off where it cannot (docs/workflows.md)",
    )
    .addHelpText(
      'after',
      `
In the folder of baton dev they are those of its tenant; elsewhere BATON_URL and BATON_API_KEY name another. Exit codes: 1 for
what is refused, 2 for a run that hands off what is left, and those of docs/command-line.md.

  $ baton workflows apply workflows/           every .json, .yaml and .yml file of a folder
  $ baton workflows run weekly_replan --arg project=shop`,
    );
  addDefinitionActions(workflows, 'workflows', 'workflow', '<name>');
  withEndpoint(
    workflows.command('run <name>').description('run a workflow, and print the run and what is left'),
  )
    .option('--arg <name=value>', 'an argument of the prompt; may be repeated', repeated)
    .option('--idempotency-key <key>', 'a repeat with the same key gives the same run')
    .action(async (name: string, flags: RunFlags) => {
      const { runWorkflow } = await import('../workflows/run-workflow.ts');
      process.exitCode = await runWorkflow(name, flags, process.env);
    });

  const agents = program
    .command('agents')
    .description("a tenant's agents: its primary, and its specialists, which are tools (docs/agents.md)")
    .addHelpText(
      'after',
      `
In the folder of baton dev they are those of its tenant; elsewhere BATON_URL and BATON_API_KEY name another. Exit codes: 1 for
what is refused, and those of docs/command-line.md.

  $ baton agents apply agents/                 every .json, .yaml and .yml file of a folder, Rustbot's as they are
  $ baton agents disable web_search`,
    );
  addDefinitionActions(agents, 'agents', 'agent', '<id>');
  addDefinitionAction(agents, 'agents', 'enable', '<id>', 'enable an agent');
  addDefinitionAction(agents, 'agents', 'disable', '<id>', 'disable an agent, which is not the primary');
  addDefinitionAction(
    agents,
    'agents',
    'primary',
    '<id>',
    'make an agent the primary, in the place of the one that is',
  );

  const prompts = program
    .command('prompts')
    .description("a tenant's prompts: what calls of an agent begin with (docs/agents.md)");
  addDefinitionActions(prompts, 'prompts', 'prompt', '<name>');
}

/** What every kind of definition has. */
function addDefinitionActions(of: Command, plural: DefinitionPlural, one: string, operand: string): void {
  const what = `${one === 'agent' ? 'an' : 'a'} ${one}`;
  addDefinitionAction(
    of,
    plural,
    'apply',
    '<paths...>',
    'store definitions, JSON or YAML, from files and folders',
  );
  addDefinitionAction(of, plural, 'list', '', `list the ${plural}`);
  addDefinitionAction(of, plural, 'show', operand, 'show the newest version, as YAML');
  addDefinitionAction(of, plural, 'history', operand, 'list the versions that are kept');
  addDefinitionAction(of, plural, 'delete', operand, `delete ${what} with its versions`);
}

function addDefinitionAction(
  of: Command,
  plural: DefinitionPlural,
  action: DefinitionAction,
  operands: string,
  description: string,
): void {
  const command = withEndpoint(of.command(`${action} ${operands}`.trimEnd()).description(description));
  command.action(async () => {
    const { runDefinitions } = await import('../definitions/run-definitions.ts');
    const flags = command.opts<DefinitionFlags>();
    process.exitCode = await runDefinitions(plural, action, command.args, flags, process.env);
  });
}
