import { CachedRead } from '../redis/cached-read.ts';
import {
  BatonError,
  type EndpointKind,
  modelRoleSchema,
  type RequestRole,
  type RoleInput,
} from '@baton/protocol';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import type { Identity } from '../identity/identity.ts';
import type { TenantKeys } from '../records/keys.ts';
import { refusalError } from '../records/refusal-error.ts';
import type { Connection } from '../redis/connection.ts';
import { DELETE_ROLE, PUT_ROLE } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { Seal } from '../secrets/seal.ts';

/** A write begins again so often when another came first. */
const MAX_CONFLICTS = 10;

export interface AgentRoute {
  readonly kind: 'agent';
  readonly modelId?: string | undefined;
  readonly fixedModel?: boolean | undefined;
}

/** An LLM endpoint with its key as it is stored. */
export interface EndpointRoute {
  readonly kind: EndpointKind;
  readonly baseUrl: string;
  readonly modelId: string;
  readonly fixedModel?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly sealedKey?: string | undefined;
}

export type RoleRoute = AgentRoute | EndpointRoute;

/** A role as it is stored, in the hash `roles`, as JSON. */
export interface StoredRole {
  readonly routes: readonly RoleRoute[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** ISO 8601. */
  readonly storedAt: string;
  /** The principal who stored it. */
  readonly storedBy: string;
}

interface OpenedKey {
  readonly key: string | undefined;
  readonly isCurrent: boolean;
}

/** Baton itself, which has no key to be checked. */
const NOBODY: Identity = { principal: '', scopes: new Set() };

/** A question to a person has no routes. */
type RoleTable = ReadonlyMap<RequestRole, StoredRole>;

/** What the requests of a tenant's roles are asked of: the calling agent where nothing is stored. */
export class Roles {
  readonly seal: Seal;
  private readonly connection: Connection;
  private readonly keys: TenantKeys;
  private readonly cached = new CachedRead(() => this.read());

  constructor(connection: Connection, keys: TenantKeys, seal: Seal) {
    this.connection = connection;
    this.keys = keys;
    this.seal = seal;
  }

  /** A role as it stood a second ago at most; undefined where it is not configured. Errors: `unavailable`. */
  async cachedRole(role: RequestRole): Promise<StoredRole | undefined> {
    return (await this.cached.get()).get(role);
  }

  /** How many routes a role's requests have. */
  async countRoutes(role: RequestRole): Promise<number> {
    return (await this.cachedRole(role))?.routes.length ?? 1;
  }

  /** All that are configured, as they stand. */
  async read(): Promise<RoleTable> {
    const fields = await this.connection.command((client) => client.hgetall(this.keys.roles));
    const known = modelRoleSchema.options.filter((role) => fields[role] !== undefined);
    return new Map(known.map((role) => [role, JSON.parse(fields[role] ?? '') as StoredRole]));
  }

  /**
   * Stores a role. A key that is left out stays, where its place has an endpoint of the same origin. Errors: `invalid_arguments`
   * naming a key that has to be given, those of an admission that ended.
   */
  async put(
    identity: Identity,
    role: RequestRole,
    { routes, ...bounds }: RoleInput,
  ): Promise<StoredRole | undefined> {
    const { after } = await this.change(identity, role, (before) => ({
      routes: routes.map((route, at) => this.storedRoute(role, route, at, before?.routes[at])),
      ...bounds,
      storedAt: new Date().toISOString(),
      storedBy: identity.principal,
    }));
    return after;
  }

  /** Takes back what a role's requests are asked of. False where nothing was stored. */
  async delete(identity: Identity, role: RequestRole): Promise<boolean> {
    return (await this.change(identity, role, () => undefined)).before !== undefined;
  }

  /**
   * The key of an endpoint: undefined where it has none, 'unreadable' where it was sealed with a secret that is not known here. Where it
   * is not current, a secret before the current one has sealed it (`reseal`).
   */
  openKey(role: RequestRole, route: EndpointRoute): OpenedKey | 'unreadable' {
    if (route.sealedKey === undefined) return { key: undefined, isCurrent: true };
    const opened = this.seal.open(route.sealedKey, bindingOf(role, route.baseUrl));
    return opened === undefined ? 'unreadable' : { key: opened.text, isCurrent: opened.isCurrent };
  }

  /**
   * Seals the keys of a role's endpoints with the current secret, where one before it has sealed them. Nothing else of the role changes.
   * False where there was nothing to seal. Errors: `unavailable`.
   */
  async reseal(role: RequestRole): Promise<boolean> {
    const stored = (await this.read()).get(role);
    if (stored === undefined || this.resealed(role, stored) === stored) return false;
    await this.change(NOBODY, role, (before) => before && this.resealed(role, before));
    return true;
  }

  /** The role with its keys sealed anew; itself where each is sealed with the current secret, or does not open. */
  private resealed(role: RequestRole, stored: StoredRole): StoredRole {
    const routes = stored.routes.map((route) => {
      if (route.kind === 'agent' || route.sealedKey === undefined) return route;
      const sealedKey = this.resealedKey(role, route.baseUrl, route.sealedKey);
      return sealedKey === route.sealedKey ? route : { ...route, sealedKey };
    });
    return routes.every((route, at) => route === stored.routes[at]) ? stored : { ...stored, routes };
  }

  private resealedKey(role: RequestRole, baseUrl: string, sealedKey: string): string {
    const binding = bindingOf(role, baseUrl);
    const opened = this.seal.open(sealedKey, binding);
    return opened === undefined || opened.isCurrent ? sealedKey : this.seal.seal(opened.text, binding);
  }

  private storedRoute(
    role: RequestRole,
    route: RoleInput['routes'][number],
    at: number,
    before: RoleRoute | undefined,
  ): RoleRoute {
    if (route.kind === 'agent') return route;
    const { apiKey, ...endpoint } = route;
    if (apiKey === null) return endpoint;
    if (apiKey !== undefined)
      return { ...endpoint, sealedKey: this.seal.seal(apiKey, bindingOf(role, route.baseUrl)) };
    if (before === undefined || before.kind === 'agent' || before.sealedKey === undefined) return endpoint;
    const [stored, asked] = [before, route].map(({ baseUrl }) => new URL(baseUrl).origin);
    if (stored === asked)
      return { ...endpoint, sealedKey: this.resealedKey(role, route.baseUrl, before.sealedKey) };
    // A key is sent to the scheme, host and port that it was given for, and to no other.
    const field = `routes.${at}.apiKey`;
    const message = `${field}: the stored key was given for ${stored}, and is sent nowhere else. Give the key for ${asked}, or null for none.`;
    throw new BatonError('invalid_arguments', message, { field });
  }

  /** Computes what is to stand from what stands, and stores that, until nobody has come between. */
  private async change(
    identity: Identity,
    role: RequestRole,
    compute: (before: StoredRole | undefined) => StoredRole | undefined,
  ): Promise<{ before: StoredRole | undefined; after: StoredRole | undefined }> {
    const { connection, keys } = this;
    for (let tries = 0; tries < MAX_CONFLICTS; tries++) {
      const text = (await connection.command((client) => client.hget(keys.roles, role))) ?? '';
      const before = text === '' ? undefined : (JSON.parse(text) as StoredRole);
      const after = compute(before);
      const [code, ...facts] = await runScript(
        { connection, keys },
        after === undefined ? DELETE_ROLE : PUT_ROLE,
        { credential: credentialOf(identity, keys) },
        {
          ...admissionRecheckArgs(identity),
          role,
          before: text,
          definition: after === undefined ? '' : JSON.stringify(after),
        },
      );
      this.cached.forget();
      if (code === 'stored') return { before, after };
      if (code !== 'conflict') throw refusalError([code, ...facts]);
    }
    throw new BatonError('unavailable', `The role '${role}' is being changed by others. Repeat the call.`);
  }
}

/** What a sealed key is for: it opens for no other role or host, whoever writes into Redis. */
function bindingOf(role: RequestRole, baseUrl: string): string {
  return `${role} ${new URL(baseUrl).origin}`;
}
