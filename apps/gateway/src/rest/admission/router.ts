import type { Scope } from '@baton/protocol';
import type { CallerAdmission, Identity, TenantStore } from '@baton/store';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RouteAccess } from '../../edge/route-access.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';
import { tenantRequestOf } from './admit-requests.ts';
import { keyTenantRouteBase, type TenantRouteBase } from './tenant-route-base.ts';

/** The tenant of a request, and who calls: with the identity that the route's access admitted. */
interface TenantCaller {
  readonly tenant: TenantStore;
  readonly caller: CallerAdmission;
  readonly identity: Identity;
}

/** What a request holds, as the schemas of its route parsed it. */
interface Input<Params extends z.ZodRawShape, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<z.ZodObject<Params>>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

interface Route<
  Caller,
  Params extends z.ZodRawShape,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
> {
  /** The operation id, without what the base adds to it. */
  readonly id: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Those that it reads, for the OpenAPI document. */
  readonly headers?: z.ZodType;
  readonly body?: Body;
  /** Statuses of its problems beside those of every route; 404 when left out. */
  readonly problems?: readonly number[];
  readonly config?: Pick<FastifyContextConfig, 'repliesLarge' | 'takesLargeJson'>;
  /** The status of success, what it means, and the schema of its JSON. */
  readonly reply:
    | readonly [status: 200 | 201, meaning: string, schema: Reply]
    | readonly [status: 204, meaning: string];
  run(
    input: Caller & Input<Params, Query, Body>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<z.input<Reply>>;
}

/** Registers a route by its method and path, such as `GET /tasks/:id`. */
type Router<Caller> = <
  Reply extends z.ZodType = z.ZodVoid,
  Params extends z.ZodRawShape = Record<never, never>,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(
  address: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`,
  route: Route<Caller, Params, Query, Body, Reply>,
) => void;

/** Registers routes for what a tenant has, under one of the ways to it, for callers with any of `scopes`. */
export function tenantRouter(
  app: FastifyInstance,
  base: TenantRouteBase,
  { tag, scopes }: { readonly tag: string; readonly scopes: readonly Scope[] },
): Router<TenantCaller> {
  return createRouter(app, base, tag, base.access(scopes), async (request) => {
    const rest = tenantRequestOf(request);
    return { tenant: rest.tenant, caller: rest.caller, identity: await rest.admit() };
  });
}

/** Registers routes for the operator only. */
export function operatorRouter(app: FastifyInstance, tag: string): Router<object> {
  return createRouter(app, keyTenantRouteBase, tag, { kind: 'operator' }, async () => ({}));
}

function createRouter<Caller>(
  app: FastifyInstance,
  base: Pick<TenantRouteBase, 'operationId' | 'params'>,
  tag: string,
  access: RouteAccess,
  callerOf: (request: FastifyRequest) => Promise<Caller>,
): Router<Caller> {
  return (
    address,
    { id, summary, params = {}, query, headers, body, problems = [404], config, ...route },
  ) => {
    const [method = '', url = ''] = address.split(' ');
    const [status, meaning, schema] = route.reply;
    app.route({
      method,
      url,
      config: { access, problems, ...config },
      schema: {
        operationId: base.operationId(id),
        tags: [tag],
        summary,
        params: base.params(params),
        ...(query && { querystring: query }),
        ...(headers && { headers }),
        ...(body && { body }),
        response: { [status]: schema ? jsonResponse(meaning, schema) : z.undefined().describe(meaning) },
      },
      handler: async (request, reply) => {
        const input = { params: request.params, query: request.query, body: request.body };
        const result = await route.run({ ...(await callerOf(request)), ...input } as never, request, reply);
        return reply.status(status).send(result);
      },
    });
  };
}
