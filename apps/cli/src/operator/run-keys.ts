import type { KeyReply } from '@baton/gateway/reply-types';
import { type Output, print } from '../output/print.ts';
import { UsageError } from '../process/exit-codes.ts';
import { RestClient } from '../rest/rest-client.ts';
import { namedTenantRest, type RestFlags } from '../settings/rest-endpoint.ts';
import { readLimit } from '../work/read-limit.ts';

export type KeyAction = 'list' | 'create' | 'change' | 'rotate' | 'revoke';

export interface KeyFlags extends RestFlags {
  readonly limit?: string;
  readonly scope?: readonly string[];
  readonly principal?: string;
  readonly expiresAt?: string;
  readonly name?: string;
  readonly tools?: string;
  readonly dialect?: string;
  readonly overlapSeconds?: string;
  readonly children?: boolean;
}

/** `key` is there once. */
type ShownKey = KeyReply & { readonly key?: string };

/** `baton keys`. Returns the exit code. Errors: those of RestClient, UsageError. */
export async function runKeys(
  action: KeyAction,
  [operand = '']: readonly string[],
  flags: KeyFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const endpoint = await namedTenantRest(
    flags,
    environment,
    'a key of the tenant with scope admin, or --tenant',
  );
  print(await perform(new RestClient(endpoint), action, operand, flags), flags);
  return 0;
}

async function perform(
  rest: RestClient,
  action: KeyAction,
  operand: string,
  flags: KeyFlags,
): Promise<Output> {
  const path = `/keys/${encodeURIComponent(operand)}`;
  switch (action) {
    case 'list': {
      const { items, more } = await rest.list<ShownKey>('/keys', 'keys', readLimit(flags.limit));
      const table = [
        ['key', 'principal', 'scopes', 'tools', 'dialect', 'used', 'ends', 'name'],
        ...items.map(rowOf),
      ];
      return { value: items, table, notes: more ? ['There are more: --limit shows more of them.'] : [] };
    }
    case 'create': {
      const { scope, principal, expiresAt, tools, dialect } = flags;
      const body = { name: operand, ...without({ scopes: scope, principal, expiresAt, tools, dialect }) };
      return created(await rest.request<ShownKey>('POST', '/keys', body));
    }
    case 'change': {
      const { name, tools, dialect } = flags;
      const change = without({ name, tools, dialect });
      if (Object.keys(change).length === 0)
        throw new UsageError('nothing to change: give --name, --tools or --dialect');
      const changed = await rest.request<ShownKey>('PATCH', path, change);
      return { value: changed, text: describeKey(changed) };
    }
    case 'rotate':
      return created(
        await rest.request<ShownKey>('POST', `${path}/rotate`, { overlapSeconds: readSeconds(flags) }),
      );
    case 'revoke': {
      await rest.request('DELETE', `${path}?children=${String(flags.children === true)}`);
      return { value: { id: operand, revoked: true }, text: `Key ${operand} is revoked.` };
    }
  }
}

function rowOf({ id, principal, scopes, name, ...key }: ShownKey): string[] {
  const { tools = '', dialect = '', lastUsedAt = 'never', expiresAt = '' } = key;
  return [id, principal, scopes.join(','), tools, dialect, lastUsedAt, expiresAt, name];
}

function describeKey({ id, name, tools = 'standard', dialect }: ShownKey): string {
  return `Key ${id}, ${name}. Tools that are listed to it: ${tools}. Dialect: ${dialect ?? 'as its clients declare'}.`;
}

/** The key alone on the first line, so that a shell takes it with `head -1`. */
function created(value: ShownKey): Output {
  const { key = '', id, principal, scopes } = value;
  return {
    value,
    text: `${key}\nThis is key ${id} of ${principal}, with ${scopes.join(', ')}. It is shown this once and stored nowhere.`,
  };
}

function without(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function readSeconds({ overlapSeconds = '0' }: KeyFlags): number {
  if (/^\d{1,9}$/.test(overlapSeconds)) return Number(overlapSeconds);
  throw new UsageError(`--overlap-seconds ${overlapSeconds}: must be a whole number of seconds`);
}
