import type { Command } from 'commander';
import type { DefinitionPlural } from '../definitions/definition-kind.ts';
import type { DefinitionAction, DefinitionFlags } from '../definitions/run-definitions.ts';
import type { RunFlags } from '../workflows/run-workflow.ts';
import { addAction, repeated, withEndpoint } from './shared-options.ts';

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
  const load = addDefinitionActions(agents, 'agents', 'agent', '<id>');
  addAction(agents, 'enable <id>', 'enable an agent', load);
  addAction(agents, 'disable <id>', 'disable an agent, which is not the primary', load);
  addAction(agents, 'primary <id>', 'make an agent the primary, in the place of the one that is', load);

  const prompts = program
    .command('prompts')
    .description("a tenant's prompts: what calls of an agent begin with (docs/agents.md)");
  addDefinitionActions(prompts, 'prompts', 'prompt', '<name>');
}

/** What every kind of definition has. Gives back what runs its actions. */
function addDefinitionActions(of: Command, plural: DefinitionPlural, one: string, operand: string) {
  const what = `${one === 'agent' ? 'an' : 'a'} ${one}`;
  const load = async () => {
    const { runDefinitions } = await import('../definitions/run-definitions.ts');
    return (
      action: DefinitionAction,
      names: readonly string[],
      flags: DefinitionFlags,
      env: NodeJS.ProcessEnv,
    ) => runDefinitions(plural, action, names, flags, env);
  };
  addAction(of, 'apply <paths...>', 'store definitions, JSON or YAML, from files and folders', load).option(
    '--dry-run',
    'say what would be stored and what refused, and store nothing',
  );
  addAction(of, 'list', `list the ${plural}`, load);
  addAction(of, `show ${operand}`, 'show the newest version, as YAML', load);
  addAction(of, `history ${operand}`, 'list the versions that are kept', load);
  addAction(of, `delete ${operand}`, `delete ${what} with its versions`, load);
  return load;
}
