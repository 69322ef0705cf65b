import type { Scope } from '@baton/protocol';
import type { Identity, Page, TenantStore } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { installYamlBodyParser } from '../../edge/yaml-body-parser.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { readDefinitionBody } from './name-of-path.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { isoTimeSchema, jsonResponse } from '../openapi/shared-schemas.ts';
import { cursorParamSchema, nextCursorSchema } from '../routes/paging.ts';

/** What every stored version says of itself, beside what it is called. */
export const versionFields = {
  version: z.int().describe('One more with each change'),
  storedAt: isoTimeSchema,
  storedBy: z.string().describe('The principal who stored it'),
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
  /** Of one in a list, of one whole, and of its history. */
  readonly summarySchema: z.ZodType;
  readonly wholeSchema: z.ZodType;
  readonly historySchema: z.ZodType;
  readonly onDelete: string;
  list(tenant: TenantStore, cursor: string | undefined): Promise<Page<object>>;
  /** Errors: `<kind>_not_found`. */
  read(tenant: TenantStore, name: string): Promise<object>;
  history(tenant: TenantStore, name: string): Promise<object>;
  /** Returns what the reply says beside the name. Errors: `invalid_arguments` naming the field, those of `Definitions.put`. */
  put(
    tenant: TenantStore,
    identity: Identity,
    name: string,
    sent: unknown,
  ): Promise<{ readonly version: number }>;
  delete(tenant: TenantStore, identity: Identity, name: string): Promise<void>;
}

export const USE: readonly Scope[] = ['mcp', 'admin'];
export const CHANGE: readonly Scope[] = ['admin'];

/** The routes of one kind of definition, JSON or YAML. Whoever calls tools may read them, an admin changes them. */
export async function definitionRoutes(
  app: FastifyInstance,
  { routeScope, routes }: { routeScope: TenantRouteBase; routes: DefinitionRoutes },
): Promise<void> {
  installYamlBodyParser(app);
  const api = app.withTypeProvider<ZodTypeProvider>();
  const { plural, one, key } = routes;
  const path = `/${plural}/:${key}`;
  const params = routeScope.params({ [key]: routes.keySchema });
  const nameIn = (request: { readonly params: unknown }) =>
    (request.params as Record<string, string>)[key] ?? '';
  const about = {
    tags: [plural],
    params,
  };
  const use = { access: routeScope.access(USE), problems: [404] };
  const change = { access: routeScope.access(CHANGE), problems: [404] };
  const article = /^[aeiou]/i.test(one) ? 'an' : 'a';
  const what = `${article} ${one.toLowerCase()}`;

  api.get(
    `/${plural}`,
    {
      config: use,
      schema: {
        operationId: routeScope.operationId(`list${one}s`),
        tags: [plural],
        summary: `List the ${plural} by ${key}`,
        params: routeScope.params({}),
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: {
          200: jsonResponse(
            'A page',
            z.object({ [plural]: z.array(routes.summarySchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const { items, ...next } = await routes.list(tenantRequestOf(request).tenant, request.query.cursor);
      return { [plural]: items, ...next } as never;
    },
  );

  api.get(
    path,
    {
      config: use,
      schema: {
        ...about,
        operationId: routeScope.operationId(`get${one}`),
        summary: `Read the newest version of ${what}`,
        response: { 200: jsonResponse(`The ${one.toLowerCase()}`, routes.wholeSchema) },
      },
    },
    async (request) => routes.read(tenantRequestOf(request).tenant, nameIn(request)),
  );

  api.get(
    `${path}/history`,
    {
      config: use,
      schema: {
        ...about,
        operationId: routeScope.operationId(`get${one}History`),
        summary: `Read the versions of ${what} that are kept, the newest first`,
        response: { 200: jsonResponse('The versions', routes.historySchema) },
      },
    },
    async (request) => routes.history(tenantRequestOf(request).tenant, nameIn(request)),
  );

  api.put(
    path,
    {
      config: change,
      schema: {
        ...about,
        operationId: routeScope.operationId(`put${one}`),
        summary: `Put a definition as the next version of ${what}; the same again changes nothing`,
        body: routes.body,
        response: {
          200: jsonResponse('What is stored now', z.looseObject({ [key]: z.string(), version: z.int() })),
        },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      const name = nameIn(request);
      const sent = readDefinitionBody(key, name, request.body);
      return {
        [key]: name,
        ...(await routes.put(own.tenant, await own.admit(), name, sent)),
      } as never;
    },
  );

  api.delete(
    path,
    {
      config: change,
      schema: {
        ...about,
        operationId: routeScope.operationId(`delete${one}`),
        summary: `Delete ${what} with its versions; ${routes.onDelete}`,
        response: {
          200: jsonResponse('Deleted', z.object({ [key]: z.string(), deleted: z.literal(true) })),
        },
      },
    },
    async (request) => {
      const own = tenantRequestOf(request);
      const name = nameIn(request);
      await routes.delete(own.tenant, await own.admit(), name);
      return { [key]: name, deleted: true } as never;
    },
  );
}
