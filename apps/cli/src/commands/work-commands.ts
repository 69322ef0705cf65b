import { taskStatusSchema } from '@baton/protocol';
import type { Command } from 'commander';
import type { BatonFlags } from '../settings/tenant-endpoint.ts';
import type { AnswerFlags } from '../work/run-answer.ts';
import type { CallFlags } from '../work/run-call.ts';
import type { ListFlags } from '../work/run-lists.ts';
import type { ProjectAction } from '../work/run-projects.ts';
import type { RetryFlags } from '../work/run-retry.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { addAction, oneOf, withEndpoint, withOrigin } from './shared-options.ts';

/** Tools, what waits for an LLM, tasks and projects: what an MCP client does, in a terminal. */
export function addWorkCommands(program: Command): void {
  withEndpoint(
    program
      .command('call <tool> [arguments...]')
      .description('call a tool: with one JSON object, @file, - (standard input), or words key=value'),
  )
    .option('-q, --quiet', 'print the id of the task alone')
    .option('--idempotency-key <key>', 'a repeat with the same key and arguments gives the same result')
    .addHelpText(
      'after',
      `
A value is text, but for true, false, null and what begins with { or [; key=@file is the text of a file, key:=JSON is JSON.

  $ baton call parse_prd prd=@shop.txt numTasks=5
  $ baton call set_task_status id=1.1,1.2 status=done
  $ baton call next_task '{"tag":"later"}'`,
    )
    .action(async (tool: string, words: readonly string[], flags: CallFlags) => {
      const { runCall } = await import('../work/run-call.ts');
      process.exitCode = await runCall(tool, words, flags, process.env);
    });

  withLimit(
    withOrigin(
      withEndpoint(program.command('pending').description('list what waits for the answer of an LLM')).option(
        '--operation <name>',
        'only requests of this operation',
      ),
    ),
  )
    .option('-q, --quiet', 'print ids alone')
    .action(async (flags: ListFlags) => {
      const { runPending } = await import('../work/run-lists.ts');
      process.exitCode = await runPending(flags, process.env);
    });

  withEndpoint(
    program
      .command('show <id>')
      .description('show an interaction with what it asks, or a task with what happened to it'),
  ).action(async (id: string, flags: RestFlags) => {
    const { runShow } = await import('../work/run-show.ts');
    process.exitCode = await runShow(id, flags, process.env);
  });

  withEndpoint(
    program
      .command('answer <interaction> [answer]')
      .description(
        'answer in the place of an LLM: with JSON or text, @file, or - (standard input, the default)',
      ),
  )
    .option('--error <message>', 'report instead that the LLM call failed')
    .action(async (id: string, answer: string | undefined, flags: AnswerFlags) => {
      const { runAnswer } = await import('../work/run-answer.ts');
      process.exitCode = await runAnswer(id, answer, flags, process.env);
    });

  withEndpoint(program.command('cancel <id>').description('end a task, or take back an interaction')).action(
    async (id: string, flags: RestFlags) => {
      const { runCancel } = await import('../work/run-cancel.ts');
      process.exitCode = await runCancel(id, flags, process.env);
    },
  );

  withOrigin(
    withEndpoint(
      program
        .command('retry [tasks...]')
        .description('have tasks that failed or expired go on from where they stood'),
    )
      .option('--all', 'all that failed and match, the newest first')
      .option('--operation <name>', 'with --all: only tasks of this operation')
      .option('--error-code <code>', 'with --all: only tasks that failed with this error'),
  )
    .option('--dry-run', 'with --all: say which these are, and change nothing')
    .addHelpText('after', '\n  $ baton retry --all --error-code agent_error --dry-run')
    .action(async (ids: readonly string[], flags: RetryFlags) => {
      const { runRetry } = await import('../work/run-retry.ts');
      process.exitCode = await runRetry(ids, flags, process.env);
    });

  withLimit(
    withOrigin(
      withEndpoint(program.command('tasks').description('list tasks, newest first'))
        .option(
          '--status <status>',
          `only tasks that are so: ${taskStatusSchema.options.join(', ')}`,
          oneOf(...taskStatusSchema.options),
        )
        .option('--operation <name>', 'only tasks of this operation'),
    ),
  )
    .option('-q, --quiet', 'print ids alone')
    .action(async (flags: ListFlags) => {
      const { runTasks } = await import('../work/run-lists.ts');
      process.exitCode = await runTasks(flags, process.env);
    });

  withEndpoint(
    program
      .command('doctor')
      .description(
        'say in words what is wrong with this set-up: settings, Redis, worker, gateway, key, LLM endpoint',
      ),
  ).action(async (flags: RestFlags) => {
    const { runDoctor } = await import('../doctor/run-doctor.ts');
    process.exitCode = await runDoctor(flags, process.env);
  });

  program
    .command('env')
    .description('print the address and the key that commands use, for eval "$(baton env)"')
    .option('--url <url>', "Baton's address (BATON_URL; that of baton dev in this folder)")
    .option('--key <key>', 'an API key of the tenant (BATON_API_KEY)')
    .action(async (flags: BatonFlags) => {
      const { runEnv } = await import('../work/run-env.ts');
      process.exitCode = await runEnv(flags, process.env);
    });

  const projects = program.command('projects').description('list, export, import and delete projects');
  const runProjects = async () => (await import('../work/run-projects.ts')).runProjects;
  const addProjectAction = (
    words: ProjectAction | `${ProjectAction} ${string}`,
    description: string,
    isDefault?: boolean,
  ) => withLimit(addAction(projects, words, description, runProjects, isDefault));
  addProjectAction('list', 'list the projects', true);
  addProjectAction('export <project>', 'print a project as tasks.json');
  addProjectAction(
    'import <project> [file]',
    'put a tasks.json in the place of a project; - is standard input',
  ).option('--strict', 'refuse a file that needs a repair, and name all of them');
  addProjectAction('delete <project>', 'delete a project');
}

function withLimit(command: Command): Command {
  return command.option('--limit <n>', 'so many at most (50)');
}
