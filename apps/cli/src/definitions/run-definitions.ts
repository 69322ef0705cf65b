import { stringify } from 'yaml';
import { jsonText, plainLine, plainText } from '../output/plain-text.ts';
import { tableText } from '../output/table-text.ts';
import { type RestFlags, tenantRest } from '../settings/rest-endpoint.ts';
import { applyDefinitions, problemLines } from './apply-definitions.ts';
import { DefinitionClient, type DefinitionPlural, type StoredDefinition } from './definition-client.ts';
import { DEFINITION_KINDS, type DefinitionKind } from './definition-kind.ts';

export type DefinitionAction =
  | 'apply'
  | 'list'
  | 'show'
  | 'history'
  | 'delete'
  | 'enable'
  | 'disable'
  | 'primary';

export interface DefinitionFlags extends RestFlags {
  readonly json?: boolean;
}

/** Exit code where something was refused, beside 78. */
const REFUSED = 1;

interface Output {
  /** For people; with `--json`, `value` is written instead. */
  readonly text: string;
  readonly value: unknown;
  readonly exitCode?: number;
  /** Lines for standard error. */
  readonly problems?: readonly string[];
}

/**
 * `baton workflows`, `baton agents`, `baton prompts`: a tenant's definitions from the command line. Returns the exit code. Throws
 * ConfigurationError for a setting that its user must correct, BatonError for what Baton refuses.
 */
export async function runDefinitions(
  plural: DefinitionPlural,
  action: DefinitionAction,
  names: readonly string[],
  flags: DefinitionFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const kind = DEFINITION_KINDS[plural];
  const client = new DefinitionClient(
    await tenantRest(
      flags,
      environment,
      `an API key of the tenant, with scope admin to change ${plural} and mcp to use them`,
    ),
    plural,
  );
  const { text, value, exitCode = 0, problems = [] } = await perform(kind, client, action, names);
  for (const line of problems) console.error(plainText(line));
  console.log(flags.json === true ? jsonText(value) : plainText(text));
  return exitCode;
}

async function perform(
  kind: DefinitionKind,
  client: DefinitionClient,
  action: DefinitionAction,
  names: readonly string[],
): Promise<Output> {
  const [name = ''] = names;
  switch (action) {
    case 'apply':
      return apply(kind, client, names);
    case 'list': {
      const all = await client.list();
      const rows = all.map(kind.listRow);
      const text = all.length === 0 ? `There are no ${kind.plural}.` : tableText([kind.listHead, ...rows]);
      return { text, value: all };
    }
    case 'show': {
      const found = await client.get(name);
      const about = `# version ${found.version}, stored ${found.storedAt} by ${plainLine(found.storedBy)}`;
      return { text: `${about}\n${stringify(found.definition).trimEnd()}`, value: found };
    }
    case 'history': {
      const versions = await client.history(name);
      return { text: historyText(kind, versions), value: versions };
    }
    case 'delete':
      await client.delete(name);
      return { text: `${name} is deleted.${kind.onDelete}`, value: { [kind.key]: name, deleted: true } };
    case 'enable':
    case 'disable':
    case 'primary': {
      const value = await client.change(name, action);
      const state = value['enabled'] === true ? 'enabled' : 'disabled';
      return { text: `${name} is ${value['isPrimary'] === true ? 'the primary' : state}.`, value };
    }
  }
}

function historyText(kind: DefinitionKind, versions: readonly StoredDefinition[]): string {
  return tableText([
    ['version', 'stored at', ...kind.historyHead, 'by'],
    ...versions.map((one) => [one.version, one.storedAt, ...kind.historyRow(one), one.storedBy]),
  ]);
}

async function apply(
  kind: DefinitionKind,
  client: DefinitionClient,
  paths: readonly string[],
): Promise<Output> {
  const applied = await applyDefinitions(client, kind, paths);
  const lines = applied.flatMap((one) => {
    if ('problems' in one) return [];
    const without = one.ignored === undefined ? '' : `, without ${one.ignored.join(', ')}`;
    return [`${one.name} is version ${one.version} (${one.file})${without}`];
  });
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
