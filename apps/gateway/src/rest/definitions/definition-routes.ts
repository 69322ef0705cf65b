import type { Scope } from '@baton/protocol';
import type {
  Definitions,
  DefinitionVersion,
  Identity,
  Page,
  PutDefinition,
  PutOptions,
  StoredDefinition,
  TenantStore,
} from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { installYamlBodyParser } from '../../edge/yaml-body-parser.ts';
import { tenantRouter } from '../admission/router.ts';
import { readDefinitionBody } from './name-of-path.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { isoTimeSchema } from '../openapi/shared-schemas.ts';
import { cursorParamSchema, nextCursorSchema } from '../routes/paging.ts';
import { ifMatchSchema, preconditionSchema, readPrecondition, sendEtag } from './precondition.ts';

/** What every stored version says of itself. */
export const versionFields = {
  version: z.int().describe('One more with each change'),
  storedAt: isoTimeSchema,
  storedBy: z.string().describe('The principal who stored it'),
};

/** A stored version whole, beside what it is called. */
export const storedFields = {
  ...versionFields,
  definition: z.looseObject({}).describe('As it was put, with its defaults'),
};

/** One kind of definition of a tenant, as REST serves it: what differs between workflows, agents and prompts. */
export interface DefinitionRoutes {
  /** `workflows`: the path, the tag, and the field of a page. */
  readonly plural: string;
  /** `Workflow`: as operation ids name one. */
  readonly one: string;
  /** `name`: what it is called by, in the path and in replies. */
  readonly key: string;
  readonly keySchema: z.ZodType<string>;
  readonly body: z.ZodType;
  /** Of one in a list. */
  readonly summarySchema: z.ZodType;
  /** Of one whole, and of its history; without them, what is stored. */
  readonly wholeSchema?: z.ZodType;
  readonly historySchema?: z.ZodType;
  readonly onDelete: string;
  /** Statuses of the problems of its changes beside 404. */
  readonly changeProblems?: readonly number[];
  readonly registry: (tenant: TenantStore) => Definitions;
  list(tenant: TenantStore, cursor: string | undefined): Promise<Page<object>>;
  /** Of one whole: what is stored, unless a kind shows more of it. */
  readonly show?: (version: DefinitionVersion) => object;
  readonly history?: (tenant: TenantStore, name: string, identity: Identity) => Promise<object>;
  /** Returns what is stored, and what else the reply says. Errors: `invalid_arguments` naming the field, those of `Definitions.put`. */
  put(
    tenant: TenantStore,
    identity: Identity,
    name: string,
    sent: unknown,
    how: PutOptions,
  ): Promise<PutDefinition>;
}

const USE: readonly Scope[] = ['mcp', 'admin'];
export const CHANGE: readonly Scope[] = ['admin'];

/** The routes of one kind of definition, JSON or YAML. Whoever calls tools may read them, an admin changes them. */
export async function definitionRoutes(
  app: FastifyInstance,
  { routeScope, routes }: { routeScope: TenantRouteBase; routes: DefinitionRoutes },
): Promise<void> {
  installYamlBodyParser(app);
  const { plural, one, key, registry } = routes;
  const stored = z.object({ [key]: z.string(), ...storedFields });
  const shown = ({ name, ...rest }: StoredDefinition) => ({ [key]: name, ...rest });
  const readVersions = async (tenant: TenantStore, name: string) => {
    await registry(tenant).get(name);
    const versions = await registry(tenant).inTurn(() => registry(tenant).versions(name));
    return { versions: versions.map(shown) };
  };
  const { wholeSchema = stored, historySchema = z.object({ versions: z.array(stored) }) } = routes;
  const { show = ({ stored }: DefinitionVersion) => shown(stored), history = readVersions } = routes;
  const problems = [404, 412, ...(routes.changeProblems ?? [])];

  const use = tenantRouter(app, routeScope, { tag: plural, scopes: USE });
  const change = tenantRouter(app, routeScope, { tag: plural, scopes: CHANGE });
  const params = { [key]: routes.keySchema };
  const nameIn = (given: Readonly<Record<string, string>>) => given[key] ?? '';
  const what = `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one.toLowerCase()}`;

  use(`GET /${plural}`, {
    id: `list${one}s`,
    summary: `List the ${plural} by ${key}`,
    query: z.strictObject({ cursor: cursorParamSchema }),
    reply: [
      200,
      'A page',
      z.object({ [plural]: z.array(routes.summarySchema), nextCursor: nextCursorSchema }),
    ],
    async run({ tenant, query }) {
      const { items, ...next } = await routes.list(tenant, query.cursor);
      return { [plural]: items, ...next };
    },
  });

  use(`GET /${plural}/:${key}`, {
    id: `get${one}`,
    summary: `Read the newest version of ${what}`,
    params,
    reply: [200, `The ${one.toLowerCase()}`, wholeSchema],
    async run({ tenant, params: given }, _, reply) {
      const found = await registry(tenant).read(nameIn(given));
      sendEtag(reply, found.etag);
      return show(found);
    },
  });

  use(`GET /${plural}/:${key}/history`, {
    id: `get${one}History`,
    summary: `Read the versions of ${what} that are kept, the newest first`,
    params,
    reply: [200, 'The versions', historySchema],
    run: ({ tenant, identity, params: given }) => history(tenant, nameIn(given), identity),
  });

  change(`PUT /${plural}/:${key}`, {
    id: `put${one}`,
    summary: `Put a definition as the next version of ${what}; the same again changes nothing`,
    params,
    headers: preconditionSchema,
    query: z.strictObject({
      dryRun: z
        .enum(['true', 'false'])
        .default('false')
        .describe(
          'true: it is refused as it would be, and nothing is stored; `version` is the one that would be',
        ),
    }),
    body: routes.body,
    problems,
    reply: [
      200,
      'What is stored now',
      z.looseObject({ [key]: z.string(), version: z.int(), dryRun: z.literal(true).optional() }),
    ],
    async run({ tenant, identity, params: given, query, body }, request, reply) {
      const name = nameIn(given);
      const sent = readDefinitionBody(key, name, body);
      const how = { expected: readPrecondition(request), dryRun: query.dryRun === 'true' };
      const { etag, ...put } = await routes.put(tenant, identity, name, sent, how);
      if (how.dryRun) return { [key]: name, ...put, dryRun: true as const };
      sendEtag(reply, etag);
      return { [key]: name, ...put };
    },
  });

  change(`DELETE /${plural}/:${key}`, {
    id: `delete${one}`,
    summary: `Delete ${what} with its versions; ${routes.onDelete}`,
    params,
    headers: ifMatchSchema,
    problems,
    reply: [200, 'Deleted', z.object({ [key]: z.string(), deleted: z.literal(true) })],
    async run({ tenant, identity, params: given }, request) {
      const name = nameIn(given);
      await registry(tenant).delete(identity, name, readPrecondition(request));
      return { [key]: name, deleted: true } as never;
    },
  });
}
