import type { TenantReply } from '@baton/gateway/reply-types';
import { stringify } from 'yaml';
import { type Output, print } from '../output/print.ts';
import { UsageError } from '../process/exit-codes.ts';
import { RestClient } from '../rest/rest-client.ts';
import { operatorRest, type RestFlags } from '../settings/rest-endpoint.ts';

export type TenantAction = 'list' | 'show' | 'create' | 'change' | 'suspend' | 'resume' | 'delete';

export interface TenantFlags extends RestFlags {
  readonly name?: string;
  readonly limit?: readonly string[];
}

/** `baton tenants`. Returns the exit code. Errors: those of RestClient, UsageError. */
export async function runTenants(
  action: TenantAction,
  [id = '']: readonly string[],
  flags: TenantFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  if (flags.tenant !== undefined)
    throw new UsageError(
      `--tenant ${flags.tenant}: baton tenants takes none; its tenant stands behind the action: baton tenants show ${flags.tenant}`,
    );
  const rest = new RestClient(await operatorRest(flags, environment));
  print(await perform(rest, action, id, flags), flags);
  return 0;
}

async function perform(
  rest: RestClient,
  action: TenantAction,
  id: string,
  flags: TenantFlags,
): Promise<Output> {
  const path = `/tenants/${encodeURIComponent(id)}`;
  const patch = async (body: object): Promise<Output> => ({ value: await rest.request('PATCH', path, body) });
  switch (action) {
    case 'list': {
      const { items } = await rest.list<TenantReply>('/tenants', 'tenants', Number.POSITIVE_INFINITY);
      if (items.length === 0)
        return { value: items, text: 'There are no tenants: baton tenants create <id>' };
      const rows = items.map(({ id: tenant, suspended, usage, name }) => [
        tenant,
        suspended ? 'suspended' : 'active',
        usage.storedBytes,
        usage.openTasks,
        usage.pendingInteractions,
        name,
      ]);
      return { value: items, table: [['tenant', 'state', 'bytes', 'tasks', 'pending', 'name'], ...rows] };
    }
    case 'show': {
      const value = await rest.request<TenantReply>('GET', path);
      return { value, text: stringify(value).trimEnd() };
    }
    case 'create': {
      const value = await rest.request<TenantReply>('POST', '/tenants', { id, ...named(flags) });
      return {
        value,
        text: `Tenant ${id} is created. Its first key: baton keys create <name> --tenant ${id}`,
      };
    }
    case 'change':
      return { ...(await patch(named(flags))), text: `Tenant ${id} is changed.` };
    case 'suspend':
      return { ...(await patch({ suspended: true })), text: `Tenant ${id} is suspended.` };
    case 'resume':
      return { ...(await patch({ suspended: false })), text: `Tenant ${id} is active.` };
    case 'delete':
      await rest.request('DELETE', path);
      return { value: { id, deleted: true }, text: `Tenant ${id} is deleted.` };
  }
}

function named({ name, limit = [] }: TenantFlags) {
  const limits = Object.fromEntries(limit.map(readLimit));
  return { ...(name === undefined ? {} : { name }), ...(limit.length === 0 ? {} : { limits }) };
}

function readLimit(text: string): [string, number] {
  const [, name, number] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError(`--limit ${text}: must be <name>=<whole number>, such as openTasks=100`);
  return [name, Number(number)];
}
