import { maskUrlPasswords, BATON_VERSION } from '@baton/protocol';
import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import type { AgentFlags } from './agent/agent-settings.ts';
import { addDefinitionCommands } from './commands/definition-commands.ts';
import { addOperatorCommands } from './commands/operator-commands.ts';
import { addAction, oneOf, repeated, withEndpoint } from './commands/shared-options.ts';
import { addWorkCommands } from './commands/work-commands.ts';
import { plainText } from './output/plain-text.ts';
import { EXIT_CODES, exitCodeFor } from './process/exit-codes.ts';
import { explainShapeError } from './rest/not-baton-error.ts';
import { devFilePath, readDevFile } from './settings/dev-file.ts';
import { explainListenError } from './settings/explain-listen-error.ts';
import { readSettings, requireSetting, type Settings } from './settings/environment.ts';
import { describePortOfCompose, describeUnknownVariables } from './settings/unknown-variables.ts';
import { onStopSignal } from './process/stop-signals.ts';
import type { UsageFlags } from './usage/run-usage.ts';
import type { Deployment, RunningRole } from './roles/open-store.ts';

/**
 * `baton`: one command per role. A role's code is imported when its command runs, so that none loads another's packages.
 * Settings come from the environment; a bad one ends the process with exit code 78.
 *
 *   settings/ environment and dev.json   roles/ gateway and worker   dev/ all on one machine   agent/ `baton agent`
 *   secrets/ `baton reseal`   model-roles/ `baton roles`   usage/ `baton usage` and `baton prices`   definitions/ `baton workflows`, `agents` and `prompts`   workflows/ `baton workflows run`
 */
const program = new Command('baton')
  .version(BATON_VERSION)
  .description(
    'Baton: a delegation gateway over MCP. Parks tool calls that need an LLM, and resumes them when the agent answers.',
  )
  .addHelpText(
    'after',
    `
Settings are environment variables: REDIS_URL, PORT, HOST, BATON_DATA_DIR, BATON_SECRET, BATON_OPERATOR_TOKEN,
LOG_LEVEL and more; docs/operating.md lists them all. A secret may stand in a file named by <NAME>_FILE.

A role without REDIS_URL joins the Baton that "baton dev" runs in the same BATON_DATA_DIR, if there is one.

First steps:
  $ baton dev                    everything on this machine, with a key to try it
  $ REDIS_URL=redis://... BATON_SECRET=... baton gateway
  $ REDIS_URL=redis://... BATON_SECRET=... baton worker
  $ OPENAI_API_KEY=... baton agent --model gpt-4.1`,
  )
  .exitOverride()
  .showHelpAfterError('Type "baton --help" to see what there is.')
  .hook('preAction', (_program, command) => {
    const listens = command.name() === 'gateway' || command.name() === 'dev';
    const port = listens ? describePortOfCompose(process.env) : [];
    for (const line of [...describeUnknownVariables(process.env), ...port]) console.error(`baton: ${line}`);
  });

program
  .command('dev')
  .description('a real Redis, one gateway, one worker and a tenant to try them with')
  .action(() => runUntilSignal(async (settings) => (await import('./dev/run-dev.ts')).runDev(settings)));

program
  .command('gateway')
  .description('one stateless replica: MCP at /mcp, REST at /v1 (needs REDIS_URL and BATON_SECRET)')
  .action(() =>
    runUntilSignal(async (settings) => {
      const { runGateway } = await import('./roles/run-gateway.ts');
      if (process.env['NODE_ENV'] === 'production')
        requireSetting(
          settings,
          'BATON_PUBLIC_URL',
          'in production, replies name the address that clients use',
        );
      const deployment = await deploymentOf(settings);
      const where = deployment.joined
        ? { host: '127.0.0.1', unreadyMs: 0 }
        : { host: '0.0.0.0', unreadyMs: 1_000 };
      const gateway = await runGateway(settings, deployment, where);
      const { url, operatorUrl, conformanceUrl } = gateway;
      console.error(
        `baton gateway listens on ${url}${operatorUrl === url ? '' : `, for operators on ${operatorUrl}`}${conformanceUrl === undefined ? '' : `, for the conformance suite on ${conformanceUrl}`}`,
      );
      return gateway;
    }),
  );

program
  .command('worker')
  .description('resumes parked work (needs REDIS_URL and BATON_SECRET)')
  .action(() =>
    runUntilSignal(async (settings) => {
      const { runWorker } = await import('./roles/run-worker.ts');
      const worker = await runWorker(settings, await deploymentOf(settings));
      const { healthUrl: url } = worker;
      console.error(
        `baton worker ${url === undefined ? 'works, and listens nowhere: BATON_HEALTH_PORT is not set' : `listens on ${url}`}`,
      );
      return worker;
    }),
  );

program
  .command('reseal')
  .description(
    'moves what is stored to the current BATON_SECRET, and names the API keys that have not called since it is current; ' +
      'exit code 1 while something needs a secret of BATON_SECRET_PREVIOUS',
  )
  .option('--json', 'print JSON lines, one a tenant that has something to move')
  .action(async (flags: { json?: boolean }) => {
    const { runReseal } = await import('./secrets/run-reseal.ts');
    const settings = readSettings(process.env);
    process.exitCode = await runReseal(settings, await deploymentOf(settings), flags);
  });

program
  .command('agent')
  .description('answers delegated requests by an LLM endpoint of yours')
  .option('--url <url>', "Baton's address (BATON_URL; that of baton dev in this folder)")
  .option('--key <key>', 'an API key, with scope agent to answer for its whole tenant (BATON_API_KEY)')
  .option('--provider <name>', 'openai (and whatever is compatible) or anthropic (BATON_LLM_PROVIDER)')
  .option(
    '--endpoint <url>',
    "the LLM's base address, such as http://127.0.0.1:11434/v1 (BATON_LLM_ENDPOINT)",
  )
  .option(
    '--model <id>',
    'answers requests, whatever model they name; by role: main=...,research=... (BATON_LLM_MODEL)',
  )
  .option(
    '--allow-model <id>',
    'a further model that requests may name, or * for any; may be repeated (BATON_LLM_ALLOW_MODELS)',
    repeated,
  )
  .option(
    '--max-tokens <n>',
    'tokens of one answer at most, whatever its request asks for (BATON_LLM_MAX_TOKENS)',
  )
  .option(
    '--image-host <name>',
    'a host whose https addresses of pictures may reach the LLM; may be repeated (BATON_LLM_IMAGE_HOSTS)',
    repeated,
  )
  .option('--role <role>', 'only requests for this role: main, research or fallback (BATON_AGENT_ROLE)')
  .option(
    '--operation <name>',
    'only requests of this operation, such as expand_task (BATON_AGENT_OPERATION)',
  )
  .option('--concurrency <n>', 'requests in flight at once (BATON_AGENT_CONCURRENCY; 4)')
  .option('--timeout-ms <ms>', 'how long one LLM call may take (BATON_AGENT_TIMEOUT_MS; 120000)')
  .option(
    '--lease-ms <ms>',
    'for how long a claim, unless it is renewed, hides a request from others (BATON_AGENT_LEASE_MS; 60000)',
  )
  .option('--drain-ms <ms>', 'how long a SIGTERM waits for what is in flight (BATON_AGENT_DRAIN_MS; 25000)')
  .option('--once', 'end when nothing waits any more; exit code 1 if something failed')
  .addHelpText(
    'after',
    `
The LLM's key comes from BATON_LLM_API_KEY; that of OpenAI's or Anthropic's own address from OPENAI_API_KEY or ANTHROPIC_API_KEY
too, which are sent to no other --endpoint. Every key may stand in a file named by <NAME>_FILE. In a pipe it writes JSON lines.

  $ OPENAI_API_KEY=... baton agent --model gpt-4.1
  $ baton agent --endpoint http://127.0.0.1:11434/v1 --model llama3.1`,
  )
  .action(async (flags: AgentFlags) => {
    const { runAgent } = await import('./agent/run-agent.ts');
    process.exit(await runAgent(flags, process.env));
  });

addDefinitionCommands(program);
addWorkCommands(program);
addOperatorCommands(program);

const roles = program
  .command('roles')
  .description("what a tenant's LLM requests are asked of: the calling agent, or endpoints (docs/roles.md)")
  .addHelpText(
    'after',
    `
A role's file is JSON or YAML, - is standard input. A route names where its key stands with apiKeyEnv or apiKeyFile; no key is an
argument.

  $ baton roles set main main.yaml
  $ echo '{ "routes": [{ "kind": "agent", "modelId": "gpt-4.1" }] }' | baton roles set research`,
  );
const runModelRoles = async () => (await import('./model-roles/run-model-roles.ts')).runModelRoles;
addAction(roles, 'list', 'list the roles', runModelRoles);
addAction(roles, 'show <role>', 'show a role: main, research or fallback', runModelRoles);
addAction(roles, 'set <role> [file]', 'set what the requests of a role are asked of', runModelRoles);
addAction(roles, 'delete <role>', 'have the requests of a role go to the calling agent again', runModelRoles);

withEndpoint(
  program
    .command('usage')
    .description("what a tenant's LLM calls used: tokens, calls, time, and cost with prices (docs/usage.md)"),
)
  .option(
    '--by <name>',
    'sum up by day, agent, operation or model (day)',
    oneOf('day', 'agent', 'operation', 'model'),
  )
  .option('--from <day>', 'the first day, as 2026-07-28 (29 days before the last)')
  .option('--to <day>', 'the last day (today); days are those of UTC')
  .option('--csv', 'print CSV')
  .addHelpText(
    'after',
    `
  $ baton usage --by model --from 2026-07-01 --to 2026-07-31
  $ baton usage --by agent --csv > usage.csv`,
  )
  .action(async (flags: UsageFlags) => {
    const { runUsage } = await import('./usage/run-usage.ts');
    process.exitCode = await runUsage(flags, process.env);
  });

const prices = program
  .command('prices')
  .description('what each model costs a tenant per million tokens (docs/usage.md)')
  .addHelpText(
    'after',
    `
A file of prices is JSON or YAML, - is standard input.

  $ echo '{ "currency": "USD", "models": { "gpt-4.1": { "input": 2, "output": 8 } } }' | baton prices set`,
  );
const runPrices = async () => (await import('./usage/run-prices.ts')).runPrices;
addAction(prices, 'show', 'show the prices', runPrices);
addAction(prices, 'set [file]', 'set the prices, in place of all before', runPrices);

tab(program, { completionCommandName: 'completion' });

await program.parseAsync().catch((error: unknown) => fail(explainShapeError(error)));

/** Runs a role until a stop signal: the first one drains it, also while it starts; a second one ends it at once. */
async function runUntilSignal(start: (settings: Settings) => Promise<RunningRole>): Promise<void> {
  const settings = readSettings(process.env);
  const stopSignal = new Promise<void>((resolve) => onStopSignal(resolve));
  const running = await start(settings).catch((error: unknown) => {
    return fail(explainListenError(error, settings));
  });
  void stopSignal.then(() => running.stop()).then(() => process.exit(0), fail);
}

/**
 * The deployment that the settings name; without any of them the one that `baton dev` wrote into the same data
 * directory, with its secret and token.
 */
async function deploymentOf(settings: Settings): Promise<Deployment & { readonly joined: boolean }> {
  const { REDIS_URL, BATON_SECRET, BATON_OPERATOR_TOKEN, BATON_DATA_DIR } = settings;
  const own = REDIS_URL ?? BATON_SECRET ?? BATON_OPERATOR_TOKEN;
  const dev = own === undefined ? await readDevFile(BATON_DATA_DIR) : undefined;
  if (dev !== undefined) {
    console.error(`baton: joins the deployment of ${devFilePath(BATON_DATA_DIR)}`);
    return { ...dev, anySecret: true, joined: true };
  }
  return {
    redisUrl: requireSetting(
      settings,
      'REDIS_URL',
      'a role of its own needs the Redis that all share; baton dev finds one itself',
    ),
    secret: requireSetting(
      settings,
      'BATON_SECRET',
      'all processes of a deployment share one secret of 16 characters or more',
    ),
    operatorToken: BATON_OPERATOR_TOKEN,
    joined: false,
  };
}

function fail(error: unknown): never {
  // What commander refuses it has told by itself.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage);
  const said = error instanceof Error && ('exitCode' in error || error.name === 'BatonError');
  const text = said ? `baton: ${(error as Error).message}` : String((error as Error).stack ?? error);
  console.error(plainText(maskUrlPasswords(text)));
  process.exit(exitCodeFor(error));
}
