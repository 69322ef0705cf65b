import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { RouteAccess } from '../../edge/route-access.ts';
import { problemResponses } from './problem-responses.ts';

const TAGS = [
  { name: 'operator', description: 'The state of the whole deployment, for the operator' },
  { name: 'tenants', description: 'Tenants and their limits, for the operator' },
  { name: 'keys', description: 'API keys of a tenant' },
  { name: 'tools', description: 'The tools of MCP, with their arguments as bodies' },
  { name: 'resources', description: 'The resources of MCP' },
  { name: 'events', description: 'What changes, as a stream' },
  { name: 'completions', description: 'Completion of arguments, as MCP has it' },
  { name: 'interactions', description: 'Requests that wait, or waited, for an answer' },
  { name: 'tasks', description: 'Running and ended operations' },
  { name: 'projects', description: 'Task lists, in and out as tasks.json of claude-task-master' },
  {
    name: 'roles',
    description: 'What LLM requests are asked of: the calling agent, or endpoints with their keys',
  },
  { name: 'workflows', description: 'Prompts that run, as definitions' },
  { name: 'conversations', description: 'Conversations with the primary agent' },
  { name: 'agents', description: 'The primary agent and its specialists, as definitions' },
  { name: 'prompts', description: 'What calls of agents begin with, as definitions' },
  { name: 'usage', description: 'What LLM calls used, and what that costs' },
  { name: 'audit', description: 'Who changed the tenant and its keys, and when' },
  { name: 'description', description: 'This document' },
];

/** Completes what every route says of itself, and serves the document at `/openapi.json`, open to all. */
export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', completeRoute);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Baton',
        version: '1.0.0',
        description:
          "REST for operators and for tenants' own tools. Errors are application/problem+json (RFC 9457) with a `code`.",
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: app.publicUrl ?? '/', description: 'This deployment' }],
      tags: TAGS,
      components: { securitySchemes: SECURITY },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('the document is not OpenAPI 3');
      const whole = jsonSchemaTransformObject(document) as Document;
      return withUsedSchemas(withOptionalBodies(whole)) as typeof document.openapiObject;
    },
  });
  app.get(
    '/openapi.json',
    {
      config: { isPublic: true, repliesLarge: true },
      schema: {
        operationId: 'getDescription',
        tags: ['description'],
        summary: 'This document',
        response: {
          200: {
            description: 'OpenAPI 3.1',
            content: { 'application/json': { schema: z.looseObject({ openapi: z.string() }) } },
          },
          304: z.null().describe('It is the one of the ETag in If-None-Match'),
        },
      },
    },
    async (request, reply) => {
      // A client that has it already is told so, and of no other release's.
      reply.header('cache-control', 'no-cache').header('etag', etag);
      if (request.headers['if-none-match'] === etag) return reply.code(304).send(null);
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
  // Made before the first request: it takes long enough to hold up everyone else's.
  let document = Buffer.alloc(0);
  let etag = '';
  app.addHook('onReady', async () => {
    document = Buffer.from(JSON.stringify(app.swagger()));
    etag = `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`;
  });
}

const SECURITY = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'bt_<tenant>_<id>_<secret>',
    description: "A tenant's API key; the names beside it are the scopes that it needs",
  },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator token of the deployment' },
} as const;

/** Security and problems follow from what the route declares; unknown query parameters are refused everywhere. */
function completeRoute(route: RouteOptions): void {
  const { isPublic, access, problems: own = [] } = route.config ?? {};
  const { schema = {} } = route;
  route.schema = {
    querystring: z.strictObject({}),
    ...schema,
    security: access === undefined ? [] : securityOf(access),
    response: {
      ...(schema.response as object),
      ...problemResponses(own, isPublic === true),
    },
  };
}

/** One alternative for each way in; the scopes of one are needed together. */
function securityOf(access: RouteAccess): Record<string, string[]>[] {
  switch (access.kind) {
    case 'operator':
      return [{ operatorToken: [] }];
    case 'path': {
      const beside = access.scopes.includes('admin') ? [[]] : access.scopes.map((need) => [need]);
      return [{ operatorToken: [] }, ...beside.map((scopes) => ({ apiKey: ['admin', ...scopes] }))];
    }
    case 'key':
      return access.scopes.map((need) => ({ apiKey: [need] }));
  }
}

interface Document {
  readonly components?: { readonly schemas?: Record<string, unknown> };
  readonly paths?: Record<string, Record<string, Described>>;
}

interface Described {
  readonly requestBody?: {
    required?: boolean;
    readonly content?: Record<string, { schema?: BodySchema }>;
  };
}

/** The generator describes every named schema twice, as it is sent and as it comes; only what something refers to stays. */
function withUsedSchemas(document: Document): Document {
  const { components = {} } = document;
  const entries = Object.entries(components.schemas ?? {});
  const text = JSON.stringify({ ...document, components: { ...components, schemas: undefined } });
  const used = new Set<string>();
  const follow = (described: string) => {
    for (const [, name = ''] of described.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      follow(JSON.stringify(components.schemas?.[name]));
    }
  };
  follow(text);
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(entries.filter(([name]) => used.has(name))) },
  };
}

interface BodySchema {
  readonly $ref?: string;
  readonly required?: readonly string[];
}

/** A body that has no required field may be left out; the generator says of every body that it is required. */
function withOptionalBodies(document: Document): Document {
  const schemas = (document.components?.schemas ?? {}) as Record<string, BodySchema>;
  for (const path of Object.values(document.paths ?? {})) {
    for (const { requestBody } of Object.values(path)) {
      const schema = requestBody?.content?.['application/json']?.schema;
      const { required = [] } = schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema ?? {};
      if (requestBody && required.length === 0) requestBody.required = false;
    }
  }
  return document;
}
