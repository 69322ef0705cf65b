import { coercePromptArguments } from '@baton/agent-definitions';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Services } from '../../call/call.ts';
import { METHODS_OF_ALL_REVISIONS } from '../../mcp/dispatch/mcp-methods.ts';
import { restCallOf } from '../admission/rest-call.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';
import { cursorParamSchema, nextCursorSchema } from '../routes/paging.ts';
import { requestedTools, toolsHeaderShape, toolsQueryShape } from '../../tool-listing/requested-tools.ts';
import { callHeadersSchema, metaOfHeaders } from '../admission/call-headers.ts';
import { withProblems } from './rpc-problems.ts';

/** A method of MCP as a route: what the one answers to the params that a request stands for, the other replies. */
interface MethodRoute {
  readonly verb: 'GET' | 'POST';
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly params?: z.ZodRawShape;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  readonly result: z.ZodRawShape;
  readonly problems: readonly number[];
  readonly toParams: (request: FastifyRequest) => unknown;
}

const pageQuery = z.strictObject({ cursor: cursorParamSchema });
const toPageParams = ({ query }: FastifyRequest) => query;
const records = z.array(z.looseObject({}));

const METHOD_ROUTES: readonly MethodRoute[] = [
  {
    verb: 'GET',
    path: '/tools',
    method: 'tools/list',
    operationId: 'listTools',
    headers: z.looseObject(toolsHeaderShape),
    tag: 'tools',
    summary: "List the tools with their schemas, the tenant's specialists included, as tools/list of MCP",
    query: z.strictObject({ cursor: cursorParamSchema, ...toolsQueryShape }),
    result: { tools: records, nextCursor: nextCursorSchema },
    problems: [404],
    toParams: ({ query }) => ({ cursor: (query as { cursor?: string }).cursor }),
  },
  {
    verb: 'GET',
    path: '/resources',
    method: 'resources/list',
    operationId: 'listResources',
    tag: 'resources',
    summary: 'List the resources, as resources/list of MCP',
    query: pageQuery,
    result: { resources: records, nextCursor: nextCursorSchema },
    problems: [404],
    toParams: toPageParams,
  },
  {
    verb: 'GET',
    path: '/resource-templates',
    method: 'resources/templates/list',
    operationId: 'listResourceTemplates',
    tag: 'resources',
    summary: 'List the templates of resources, as resources/templates/list of MCP: all of them on one page',
    result: { resourceTemplates: records },
    problems: [404],
    toParams: () => ({}),
  },
  {
    verb: 'GET',
    path: '/resources/:uri',
    method: 'resources/read',
    operationId: 'readResource',
    tag: 'resources',
    summary: 'Read a resource, as resources/read of MCP',
    params: { uri: z.string().min(1).max(4_096).describe("The resource's URI, percent-encoded") },
    result: { contents: records },
    problems: [404, 409, 410],
    toParams: ({ params }) => ({ uri: (params as { uri: string }).uri }),
  },
  {
    verb: 'GET',
    path: '/runnable-prompts',
    method: 'prompts/list',
    operationId: 'listRunnablePrompts',
    tag: 'prompts',
    summary:
      'List what POST /v1/prompts/{name} takes, guides, workflows and public prompts, as prompts/list of MCP',
    query: pageQuery,
    result: { prompts: records, nextCursor: nextCursorSchema },
    problems: [404],
    toParams: toPageParams,
  },
  {
    verb: 'POST',
    path: '/prompts/:name',
    method: 'prompts/get',
    operationId: 'getPromptMessages',
    tag: 'prompts',
    summary:
      'Run a workflow, or fill in a public prompt or a guide, and give its messages, as prompts/get of MCP',
    params: { name: z.string().min(1).max(200).describe('A workflow, a public prompt or a guide') },
    headers: callHeadersSchema,
    body: z
      .record(
        z.string(),
        z.union(
          [z.string(), z.number(), z.boolean(), z.null()],
          'must be a text, a number, a boolean or null: the body itself has the arguments of the prompt, by name',
        ),
      )
      .describe('Its arguments: a number or boolean is read as its text, null as left out'),
    result: { messages: records, description: z.string().optional() },
    problems: [404, 409, 410, 422],
    toParams: (request) => ({
      name: (request.params as { name: string }).name,
      arguments: coercePromptArguments((request.body ?? {}) as Record<string, unknown>),
      _meta: metaOfHeaders(request),
    }),
  },
  {
    verb: 'POST',
    path: '/completions',
    method: 'completion/complete',
    operationId: 'complete',
    tag: 'completions',
    summary:
      'Complete an argument of a prompt or a variable of a resource template, as completion/complete of MCP',
    body: z.looseObject({
      ref: z
        .looseObject({ type: z.string() })
        .describe('{ type: "ref/prompt", name } or { type: "ref/resource", uri }'),
      argument: z.looseObject({ name: z.string(), value: z.string() }),
      context: z.looseObject({}).optional(),
    }),
    result: { completion: z.looseObject({ values: z.array(z.string()) }) },
    problems: [404],
    toParams: ({ body }) => body,
  },
];

/** What a client of MCP does beside calling tools, for programs without one: the methods answer, whichever way they are asked. */
export async function methodRoutes(
  app: FastifyInstance,
  options: {
    routeScope: TenantRouteBase;
    services: Services;
    isTool: (name: string) => boolean;
  },
): Promise<void> {
  const { routeScope, services, isTool } = options;
  for (const route of METHOD_ROUTES) {
    const method = METHODS_OF_ALL_REVISIONS.find(({ name }) => name === route.method);
    if (method === undefined) throw new Error(`no method of MCP answers ${route.method}`);
    const { access } = method;
    app.route({
      method: route.verb,
      url: route.path,
      config: { access: routeScope.access(access.scopes), problems: route.problems },
      schema: {
        operationId: routeScope.operationId(route.operationId),
        tags: [route.tag],
        summary: route.summary,
        params: routeScope.params(route.params ?? {}),
        ...(route.query && { querystring: route.query }),
        ...(route.headers && { headers: route.headers }),
        ...(route.body && { body: route.body }),
        response: { 200: jsonResponse('What the method gives', z.looseObject(route.result)) },
      },
      handler: async (request, reply) => {
        const selections = route.method === 'tools/list' ? requestedTools(request, isTool) : [];
        const call = { ...restCallOf(services, request, reply), selections };
        return withProblems(() => method.answer(route.toParams(request), call));
      },
    });
  }
}
