import { stringify } from 'yaml';
import { plainLine, plainText } from '../output/plain-text.ts';
import { type Output, print } from '../output/print.ts';
import { openRest, type RestClient } from '../rest/rest-client.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { applyDefinitions, problemLines } from './apply-definitions.ts';
import {
  DEFINITION_KINDS,
  type DefinitionKind,
  type DefinitionPlural,
  type DefinitionSummary,
  type StoredDefinition,
} from './definition-kind.ts';

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
  /** Of `apply`: stores nothing. */
  readonly dryRun?: boolean;
}

/** Exit code where something was refused, beside 78. */
const REFUSED = 1;

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
  const tenant = await openRest(
    flags,
    environment,
    `an API key of the tenant, with scope admin to change ${plural} and mcp to use them`,
  );
  if (action === 'apply') return apply(kind, tenant, names, flags);
  print(await perform(kind, tenant, action, names[0] ?? ''), flags);
  return 0;
}

async function perform(
  kind: DefinitionKind,
  tenant: RestClient,
  action: Exclude<DefinitionAction, 'apply'>,
  name: string,
): Promise<Output> {
  const route = `/${kind.plural}/${encodeURIComponent(name)}`;
  switch (action) {
    case 'list': {
      const list = `/${kind.plural}`;
      const { items } = await tenant.list<DefinitionSummary>(list, kind.plural, Number.POSITIVE_INFINITY);
      if (items.length === 0) return { text: `There are no ${kind.plural}.`, value: items };
      return { table: [kind.listHead, ...items.map(kind.listRow)], value: items };
    }
    case 'show': {
      const found = await tenant.request<StoredDefinition>('GET', route);
      const about = `# version ${found.version}, stored ${found.storedAt} by ${plainLine(found.storedBy)}`;
      return { text: `${about}\n${stringify(found.definition).trimEnd()}`, value: found };
    }
    case 'history': {
      type History = { readonly versions: readonly StoredDefinition[] };
      const { versions } = await tenant.request<History>('GET', `${route}/history`);
      const rows = versions.map((one) => [one.version, one.storedAt, ...kind.historyRow(one), one.storedBy]);
      return { table: [['version', 'stored at', ...kind.historyHead, 'by'], ...rows], value: versions };
    }
    case 'delete':
      await tenant.request('DELETE', route);
      return { text: `${name} is deleted.${kind.onDelete}`, value: { [kind.key]: name, deleted: true } };
    case 'enable':
    case 'disable':
    case 'primary': {
      const value = await tenant.request<Record<string, unknown>>('POST', `${route}/${action}`);
      const state = value['enabled'] === true ? 'enabled' : 'disabled';
      return { text: `${name} is ${value['isPrimary'] === true ? 'the primary' : state}.`, value };
    }
  }
}

async function apply(
  kind: DefinitionKind,
  tenant: RestClient,
  paths: readonly string[],
  flags: DefinitionFlags,
): Promise<number> {
  const applied = await applyDefinitions(tenant, kind, paths, flags.dryRun);
  const is = flags.dryRun === true ? 'would be' : 'is';
  const lines = applied.flatMap((one) => {
    if ('problems' in one) return [];
    const without = one.ignored === undefined ? '' : `, without ${one.ignored.join(', ')}`;
    return [`${one.name} ${is} version ${one.version} (${one.file})${without}`];
  });
  const problems = applied.flatMap((one) => ('problems' in one ? problemLines(one) : []));
  const refused = applied.length - lines.length;
  const end =
    refused === 0
      ? []
      : [`${refused} of ${applied.length} ${applied.length === 1 ? 'file was' : 'files were'} refused.`];
  for (const line of problems) console.error(plainText(line));
  print({ text: [...lines, ...end].join('\n'), value: applied }, flags);
  return refused === 0 ? 0 : REFUSED;
}
