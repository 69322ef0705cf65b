import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestTenant, type TestReplicas, startTestReplicas } from '../testing/test-replicas.ts';

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

let replicas: TestReplicas;
let operations: [name: string, Described][];
// oxlint-disable-next-line typescript/no-explicit-any -- a document of many shapes, whose parts are typed below
let document: any;
// oxlint-disable-next-line typescript/no-explicit-any -- the tools as MCP lists them
let tools: any[];

beforeAll(async () => {
  replicas = await startTestReplicas();
  document = (await replicas.one.send('GET', '/v1/openapi.json')).body;
  const { mcp: token } = await createTestTenant(replicas.one);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  ({ tools } = (await replicas.one.send('POST', '/mcp', { token, json: list })).body.result);
  operations = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, described]): [string, Described] => [
        `${method.toUpperCase()} ${path}`,
        described,
      ]),
  );
});
afterAll(() => replicas.stop());

/** What is not right of an operation, by name. */
function faultsOf(name: string, right: Record<string, boolean>): string[] {
  return Object.entries(right).flatMap(([what, holds]) => (holds ? [] : [`${name}: ${what}`]));
}

test('the document is OpenAPI 3.1, needs no credential and is the same on every replica', async () => {
  const [one, other] = [replicas.one, replicas.other].map((client) => fetch(`${client.url}/v1/openapi.json`));
  expect((await one)?.status).toBe(200);
  expect(await (await one)?.text()).toBe(await (await other)?.text());
  expect(document.openapi).toBe('3.1.0');
  expect(JSON.stringify(document)).not.toContain('"$schema"');
});

test('every route of the contract is described', () => {
  const own = [
    'GET /interactions',
    'GET /interactions/{id}',
    'POST /interactions/{id}/answer',
    'POST /interactions/{id}/cancel',
    'POST /interactions/{id}/extend',
    'GET /tasks',
    'GET /tasks/{id}',
    'POST /tasks/{id}/cancel',
    'POST /tasks/{id}/retry',
    'POST /tasks/retry',
    'GET /projects',
    'GET /projects/{id}',
    'PUT /projects/{id}',
    'DELETE /projects/{id}',
    'GET /conversations',
    'GET /conversations/{id}',
    'DELETE /conversations/{id}',
    'GET /workflows',
    'GET /workflows/{name}',
    'GET /workflows/{name}/history',
    'PUT /workflows/{name}',
    'DELETE /workflows/{name}',
    'GET /roles',
    'GET /roles/{role}',
    'PUT /roles/{role}',
    'DELETE /roles/{role}',
    'GET /audit',
    'GET /usage',
    'GET /prices',
    'PUT /prices',
    ...['agents/{id}', 'prompts/{name}'].flatMap((path) => [
      `GET /${path.split('/')[0]}`,
      `GET /${path}`,
      `GET /${path}/history`,
      `PUT /${path}`,
      `DELETE /${path}`,
    ]),
    'POST /agents/{id}/enable',
    'POST /agents/{id}/disable',
    'POST /agents/{id}/primary',
    'GET /tools',
    'POST /tools/{name}',
    ...tools.map(({ name }) => `POST /tools/${name}`),
    'POST /prompts/{name}',
    'GET /resources',
    'GET /resources/{uri}',
    'GET /resource-templates',
    'POST /completions',
    'GET /runnable-prompts',
    'GET /events',
  ];
  const under = (prefix: string) => own.map((route) => route.replace(' ', ` ${prefix}`));
  const expected = [
    'GET /v1/openapi.json',
    'GET /v1/key',
    'GET /v1/status',
    'GET /v1/failed-jobs',
    'POST /v1/tenants',
    'GET /v1/tenants',
    'GET /v1/tenants/{tenant}',
    'PATCH /v1/tenants/{tenant}',
    'DELETE /v1/tenants/{tenant}',
    'POST /v1/tenants/{tenant}/keys',
    'GET /v1/tenants/{tenant}/keys',
    'PATCH /v1/tenants/{tenant}/keys/{id}',
    'POST /v1/tenants/{tenant}/keys/{id}/rotate',
    'DELETE /v1/tenants/{tenant}/keys/{id}',
    ...under('/v1'),
    ...under('/v1/tenants/{tenant}'),
  ];
  expect(new Set(operations.map(([name]) => name))).toEqual(new Set(expected));
});

/** One status of success; of a tool that may delegate 202 beside 200. */
function isSuccess(name: string, statuses: readonly string[]): boolean {
  const [first, ...more] = statuses.filter((status) => status.startsWith('2'));
  const isTool = /^POST .*\/tools\//.test(name);
  return first !== undefined && (more.length === 0 || (isTool && first === '200' && more.join() === '202'));
}

/** The arguments that a schema has, with what it says of each. */
function wordsOf(schema: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  return Object.fromEntries(Object.entries(properties).map(([name, { description }]) => [name, description]));
}

test('every tool has a route with all that the schemas of its listing say, and 202 where it may delegate', () => {
  expect(tools.length).toBeGreaterThan(30);
  for (const { name, title, inputSchema, outputSchema, execution } of tools) {
    for (const base of ['/v1', '/v1/tenants/{tenant}']) {
      const described = operations.find(([other]) => other === `POST ${base}/tools/${name}`)?.[1];
      expect(described?.summary).toBe(title);
      expect(wordsOf(resolved(described?.requestBody?.content['application/json']?.schema))).toEqual(
        wordsOf(inputSchema),
      );
      expect(resolved(described?.responses['200']?.content?.['application/json']?.schema)).toMatchObject(
        outputSchema,
      );
      const mayDelegate = execution.taskSupport === 'optional' || name === 'agent_llm';
      expect([name, '202' in (described?.responses ?? {})]).toEqual([name, mayDelegate]);
      const names = described?.parameters
        ?.filter(({ in: place }) => place === 'header')
        .map((one) => one.name);
      expect(names).toEqual(['idempotency-key', 'baton-tools', 'baton-workflow-task']);
    }
  }
});

test('beside calls of tools and prompts, changes of a project declare Idempotency-Key, and no other route', () => {
  const declaring = operations
    .filter(([, { parameters }]) => parameters?.some(({ name }) => name === 'idempotency-key'))
    .map(([name]) => name)
    .filter((name) => !/\/(tools|prompts)\//.test(name));
  const paths = ['/v1/projects/{id}', '/v1/tenants/{tenant}/projects/{id}'];
  expect(declaring.toSorted()).toEqual(
    ['DELETE', 'PUT'].flatMap((method) => paths.map((path) => `${method} ${path}`)),
  );
});

test('every operation has a name of its own, a summary, a known tag, its security and its problems', () => {
  const tags = document.tags.map(({ name }: { name: string }) => name);
  const schemes = Object.keys(document.components.securitySchemes);
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);

  const faults = operations.flatMap(([name, operation]) => {
    const { summary, security, responses } = operation;
    const isOpen = name === 'GET /v1/openapi.json';
    const isProblem = (status: string) =>
      responses[status]?.content?.['application/problem+json'] !== undefined;
    const right = {
      summary: /\w/.test(summary),
      tags: operation.tags.length > 0 && operation.tags.every((tag) => tags.includes(tag)),
      success: isSuccess(name, Object.keys(responses)),
      security: isOpen ? security.length === 0 : security.length > 0,
      schemes: security.every((way) => Object.keys(way).every((scheme) => schemes.includes(scheme))),
      problems: isOpen || ['400', '401', '403', '413', '429', '503'].every(isProblem),
    };
    return faultsOf(name, right);
  });
  expect(faults).toEqual([]);
});

test('every change that the primary agent refuses says so', () => {
  const changes = operations.filter(([name]) => /^(PUT|POST|DELETE) \/v1\/(.*\/)?agents\/\{id\}/.test(name));
  expect(changes.map(([name, { responses }]) => [name, '409' in responses])).toEqual(
    changes.map(([name]) => [name, true]),
  );
  expect(changes).toHaveLength(10);
});

/** A schema, or that of the document to which it refers. */
function resolved(schema: { $ref?: string } | undefined) {
  const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec(schema?.$ref ?? '') ?? [];
  return document.components.schemas[name] ?? schema;
}

function isDefined(ref: string): boolean {
  const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec(ref) ?? [];
  return 'type' in (document.components.schemas[name] ?? {});
}

test('the document is no larger than 10 kB for each tool, beside 450 kB', () => {
  expect(JSON.stringify(document).length).toBeLessThan(450_000 + 10_000 * tools.length);
});

test('every parameter of a path is declared, every body and every answer has a schema', () => {
  const faults = operations.flatMap(([name, { parameters = [], requestBody, responses }]) => {
    const inPath = new Set([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
    const declared = new Set(
      parameters.filter((parameter) => parameter.in === 'path').map((one) => one.name),
    );
    const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
    const right = {
      path: inPath.size === declared.size && [...declared].every((parameter) => inPath.has(parameter)),
      parameters: parameters.every(({ schema }) => Object.keys(schema).length > 0),
      body: !/^(PUT|PATCH)/.test(name) || requestBody !== undefined,
      schemas: bodies
        .flatMap((one) => Object.values(one ?? {}))
        .every(({ schema }) => ('$ref' in schema ? isDefined(String(schema.$ref)) : 'type' in schema)),
    };
    return faultsOf(name, right);
  });
  expect(faults).toEqual([]);
});

test('a body is required exactly where it has a required field', () => {
  const body = (name: string) => operations.find(([other]) => other === name)?.[1].requestBody?.required;
  expect(body('POST /v1/tenants')).toBe(true);
  expect(body('POST /v1/interactions/{id}/extend')).toBe(true);
  expect(body('POST /v1/interactions/{id}/cancel')).toBe(false);
  expect(body('POST /v1/tenants/{tenant}/keys/{id}/rotate')).toBe(false);
});

test('the scopes that a route needs are in its security', () => {
  const security = (name: string) => operations.find(([other]) => other === name)?.[1].security;
  expect(security('POST /v1/tenants')).toEqual([{ operatorToken: [] }]);
  expect(security('POST /v1/tenants/{tenant}/keys')).toEqual([{ operatorToken: [] }, { apiKey: ['admin'] }]);
  expect(security('POST /v1/interactions/{id}/answer')).toEqual([{ apiKey: ['mcp'] }, { apiKey: ['agent'] }]);
  expect(security('POST /v1/tenants/{tenant}/interactions/{id}/answer')).toEqual([
    { operatorToken: [] },
    { apiKey: ['admin', 'mcp'] },
    { apiKey: ['admin', 'agent'] },
  ]);
});
