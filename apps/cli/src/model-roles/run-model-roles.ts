import type { RoleReply } from '@baton/gateway/reply-types';
import { isRecord } from '@baton/protocol';
import { print } from '../output/print.ts';
import { openRest, type RestClient } from '../rest/rest-client.ts';
import { ConfigurationError } from '../settings/environment.ts';
import type { RestFlags } from '../settings/rest-endpoint.ts';
import { readDataFile, readTextFile } from '../settings/data-file.ts';

export type ModelRoleAction = 'list' | 'show' | 'set' | 'delete';

/**
 * `baton roles`: what a tenant's LLM requests are asked of. Returns the exit code. Throws ConfigurationError for a setting or a file
 * that its user must correct, BatonError for what Baton refuses.
 */
export async function runModelRoles(
  action: ModelRoleAction,
  [role = '', file = '-']: readonly string[],
  flags: RestFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const tenant = await openRest(
    flags,
    environment,
    'an API key of the tenant, with scope admin to change roles',
  );
  const path = `/roles/${encodeURIComponent(role)}`;
  const value = await perform(tenant, action, path, () => readRole(file, environment));
  const roles = 'roles' in value ? value.roles : 'deleted' in value ? [] : [value];
  const said =
    roles.length === 0 ? { text: `${role} is asked of the calling agent.` } : { table: rolesTable(roles) };
  print({ value, ...said }, flags);
  return 0;
}

type Reply = RoleReply | { readonly roles: readonly RoleReply[] } | { readonly deleted: boolean };

function perform(
  tenant: RestClient,
  action: ModelRoleAction,
  path: string,
  read: () => unknown,
): Promise<Reply> {
  switch (action) {
    case 'list':
      return tenant.request('GET', '/roles');
    case 'show':
      return tenant.request('GET', path);
    case 'set':
      return tenant.request('PUT', path, read());
    case 'delete':
      return tenant.request('DELETE', path);
  }
}

function rolesTable(roles: readonly RoleReply[]) {
  const rows = roles.flatMap(({ role, routes }) =>
    routes.map((route, at) => [
      at === 0 ? role : '',
      route.kind,
      route.modelId ?? "the agent's own",
      'baseUrl' in route ? route.baseUrl : '',
      'apiKeySet' in route && route.apiKeySet ? 'set' : '',
    ]),
  );
  return [['role', 'asks', 'model', 'address', 'key'], ...rows];
}

/**
 * A role from a file, JSON or YAML, or from standard input. A route may name where its key stands, by `apiKeyEnv` or `apiKeyFile`, so
 * that it need not stand in the file.
 */
function readRole(file: string, environment: NodeJS.ProcessEnv): unknown {
  const role = readDataFile(file);
  if (!isRecord(role) || !Array.isArray(role['routes'])) return role;
  return { ...role, routes: role['routes'].map((route) => withKey(route, environment)) };
}

function withKey(route: unknown, environment: NodeJS.ProcessEnv): unknown {
  if (!isRecord(route)) return route;
  const { apiKeyEnv, apiKeyFile, ...rest } = route;
  if (typeof apiKeyEnv === 'string') {
    const apiKey = environment[apiKeyEnv];
    if (apiKey === undefined || apiKey === '') throw new ConfigurationError(`${apiKeyEnv} is not set`);
    return { ...rest, apiKey };
  }
  if (typeof apiKeyFile !== 'string') return route;
  return { ...rest, apiKey: readTextFile(apiKeyFile).trim() };
}
