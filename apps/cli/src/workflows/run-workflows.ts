import { stringify } from 'yaml';
import { z } from 'zod';
import { plainLine, plainText } from '../output/plain-text.ts';
import { findBaton, httpUrlSchema } from '../settings/baton-endpoint.ts';
import { ConfigurationError, readSecretFiles } from '../settings/environment.ts';
import { applyDefinitions, problemLines } from './apply-definitions.ts';
import { runPrompt } from './run-prompt.ts';
import { WorkflowClient } from './workflow-client.ts';
import { historyText, tableText, traceText } from './workflow-text.ts';

/** What `baton workflows` takes on its command line beside names and paths. */
export interface WorkflowFlags {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
  readonly arg?: readonly string[];
  readonly idempotencyKey?: string;
}

export const WORKFLOW_ACTIONS = ['apply', 'list', 'show', 'history', 'delete', 'run'] as const;
export type WorkflowAction = (typeof WORKFLOW_ACTIONS)[number];

/** Exit codes beside 78: something was refused; the run handed off what is left. */
const REFUSED = 1;
const HANDED_OFF = 2;

interface Output {
  /** For people; with `--json`, `value` is written instead. */
  readonly text: string;
  readonly value: unknown;
  readonly exitCode?: number;
  /** Lines for standard error. */
  readonly problems?: readonly string[];
}

/**
 * `baton workflows`: a tenant's workflows from the command line. Returns the exit code. Throws ConfigurationError for a setting
 * that its user must correct, BatonError for what Baton refuses.
 */
export async function runWorkflows(
  action: WorkflowAction,
  names: readonly string[],
  flags: WorkflowFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const { text, value, exitCode = 0, problems = [] } = await perform(action, names, flags, environment);
  for (const line of problems) console.error(plainText(line));
  console.log(flags.json === true ? JSON.stringify(value, null, 2) : plainText(text));
  return exitCode;
}

async function perform(
  action: WorkflowAction,
  names: readonly string[],
  flags: WorkflowFlags,
  environment: NodeJS.ProcessEnv,
): Promise<Output> {
  const endpoint = await endpointOf(flags, environment);
  const client = new WorkflowClient(endpoint);
  const [name = ''] = names;
  switch (action) {
    case 'apply':
      return apply(client, names);
    case 'list': {
      const all = await client.list();
      const rows = all.map((one) => [one.name, one.version, one.steps, plainLine(one.description)]);
      const text = all.length === 0 ? 'There are no workflows.' : tableText([HEAD, ...rows]);
      return { text, value: all };
    }
    case 'show': {
      const found = await client.get(name);
      const about = `# version ${found.version}, stored ${found.storedAt} by ${plainLine(found.storedBy)}`;
      return { text: `${about}\n${stringify(found.definition).trimEnd()}`, value: found };
    }
    case 'history': {
      const versions = await client.history(name);
      return { text: historyText(versions), value: versions };
    }
    case 'delete':
      await client.delete(name);
      return {
        text: `${name} is deleted. Its tasks go on with the version that they began with.`,
        value: { name, deleted: true },
      };
    case 'run': {
      const { idempotencyKey } = flags;
      const meta = idempotencyKey === undefined ? {} : { _meta: { 'baton/idempotencyKey': idempotencyKey } };
      const args = argumentsOf(flags.arg ?? []);
      const result = await runPrompt(endpoint, { name, arguments: args, ...meta });
      const exitCode = result._meta?.['task_status'] === 'completed' ? 0 : HANDED_OFF;
      return { text: traceText(result), value: result, exitCode };
    }
  }
}

const HEAD = ['name', 'version', 'steps', 'description'];

async function apply(client: WorkflowClient, paths: readonly string[]): Promise<Output> {
  const applied = await applyDefinitions(client, paths);
  const lines = applied.flatMap((one) =>
    'problems' in one ? [] : [`${one.name} is version ${one.version} (${one.file})`],
  );
  const problems = applied.flatMap((one) => ('problems' in one ? problemLines(one) : []));
  const refused = applied.length - lines.length;
  const end =
    refused === 0
      ? []
      : [`${refused} of ${applied.length} ${applied.length === 1 ? 'file was' : 'files were'} refused.`];
  return {
    text: [...lines, ...end].join('\n'),
    value: applied,
    exitCode: refused === 0 ? 0 : REFUSED,
    problems,
  };
}

async function endpointOf({ url, key }: WorkflowFlags, environment: NodeJS.ProcessEnv) {
  const variables = readSecretFiles(environment, ['BATON_API_KEY']);
  const given = url ?? variables['BATON_URL'];
  const parsed = z.object({ url: httpUrlSchema.optional() }).safeParse({ url: given });
  if (!parsed.success) {
    const name = url === undefined ? 'BATON_URL' : '--url';
    throw new ConfigurationError(`${name}=${given}: ${parsed.error.issues[0]?.message}`);
  }
  return findBaton(
    { url: given, key: key ?? variables['BATON_API_KEY'] },
    variables,
    'an API key of the tenant, with scope admin to change workflows and mcp to run them',
  );
}

/** `name=value` each. */
function argumentsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new ConfigurationError(`--arg ${text}: must be <name>=<value>`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
