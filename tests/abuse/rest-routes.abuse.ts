import fc from 'fast-check';
import { OperatorStore } from '@baton/store/operator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenApiResponseChecker } from '../../apps/gateway/src/rest/testing/openapi-response-checker.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { readOpenApiDocument } from '../openapi/openapi-document.ts';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { validInputs, mixedInputs, unusualValues } from './inputs/schema-arbitraries.ts';
import { findRestFaults, McpReplyChecker } from './reply-checker.ts';
import { ROUTES_OUTSIDE_OPENAPI } from './routes-outside-openapi.ts';
import { checkProperty } from './inputs/property-check.ts';
import {
  type ScopedKeys,
  createScopedKeys,
  AbuseEnvironment,
  ABUSE_LIMITS,
  type GatewayUnderTest,
} from './environment/abuse-environment.ts';
import { listTools } from './tool-calls.ts';
import type { RawRequest } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let gateway: GatewayUnderTest;
let document: AnyJson;
let contract: OpenApiResponseChecker;
let keys: ScopedKeys;
/** Existing ids for path parameters, by the path segment before them. */
let live: Record<string, string[]>;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  gateway = environment.gateway;
  document = await readOpenApiDocument(gateway.url);
  contract = new OpenApiResponseChecker(document);
});
afterAll(() => environment?.stop());

/** A tenant's things anew: an earlier route may have suspended it, revoked its keys or cancelled its tasks. */
async function renew(): Promise<void> {
  const { tenant } = gateway;
  await new OperatorStore(environment.store).update(tenant, { suspended: false, limits: ABUSE_LIMITS });
  const { apiKeys } = environment.store.tenant(tenant);
  keys = await createScopedKeys(environment.store, tenant);
  environment.secrets.add(...Object.values(keys));
  const spare = await apiKeys.create({ name: 'spare', scopes: ['mcp'] });
  const parked = await environment.callToolForContent({ ...gateway, keys }, 'parse_prd', {
    prd: 'A shop',
    projectRoot: 'demo',
    append: true,
  });
  live = {
    tenants: [tenant],
    keys: [spare.id],
    interactions: [parked.interactionId],
    tasks: [parked.taskId],
    projects: ['demo', 'demo/with a slash'],
  };
}

interface Drawn {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly credential: string;
}

/** Everything that one operation of the document may be sent. */
function drawn(path: string, described: AnyJson): fc.Arbitrary<Drawn> {
  const inPath = [...path.matchAll(/\/([^/{]+)\/\{(\w+)\}/g)];
  const params = Object.fromEntries(
    inPath.map(([, noun = '', name = '']) => [
      name,
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...(live[noun] ?? ['x'])) },
        {
          weight: 1,
          arbitrary: unusualValues.map((value) =>
            typeof value === 'string' ? value.slice(0, 6_000) : JSON.stringify(value),
          ),
        },
      ),
    ]),
  );
  const inQuery = (described.parameters ?? []).filter((one: AnyJson) => one.in === 'query');
  const query = Object.fromEntries(
    inQuery.map((one: AnyJson) => [one.name, fc.oneof(validInputs(one.schema, {}, one.name), unusualValues)]),
  );
  const schema = described.requestBody?.content?.['application/json']?.schema;
  const admins = described.security.some((gateway: AnyJson) => gateway.operatorToken !== undefined);
  return fc.record({
    params: fc.record(params),
    query: fc.record(query, { requiredKeys: [] }),
    // A body that a GET ignores is cut off with its connection, and the response with it, where it is long.
    body:
      schema === undefined
        ? fc.constantFrom<unknown>(undefined, {}, [], 7, null, 'x', { surprise: 1 })
        : mixedInputs(schema, { tenant: [], projectRoot: ['demo'] }),
    credential: fc.constantFrom(
      ...(admins ? ['operator', 'operator', 'admin', 'mcp'] : ['mcp', 'admin', 'agent']),
    ),
  });
}

function toRequest(method: string, path: string, { params, query, body, credential }: Drawn): RawRequest {
  const token = credential === 'operator' ? OPERATOR_TOKEN : keys[credential as keyof ScopedKeys];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encoded(String(params[name])));
  const search = Object.entries(query)
    .map(
      ([name, value]) =>
        `${encoded(name)}=${encoded(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join('&')
    // Of its head, Node takes 16 KiB.
    .slice(0, 6_000);
  return {
    method,
    path: search === '' ? filled : `${filled}?${search}`,
    headers: [
      ['authorization', `Bearer ${token}`],
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E').slice(0, 6_000).replace(/%.?$/, '');
}

const described = (): [method: string, path: string, operation: AnyJson][] =>
  Object.entries<AnyJson>(document.paths).flatMap(([path, methods]) =>
    Object.entries<AnyJson>(methods).map(([method, operation]): [string, string, AnyJson] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  );

test('every route of the OpenAPI document answers any input as documented', async () => {
  const found: string[] = [];
  for (const [method, path, operation] of described()) {
    await renew();
    const check = async (input: Drawn) => {
      const request = toRequest(method, path, input);
      const { reply, faults } = await environment.send(gateway, request);
      const shown = findRestFaults(reply, (body) =>
        contract.check(method, request.path, {
          ...reply,
          headers: reply.headers as unknown as Headers,
          body,
        }),
      );
      return [
        ...faults,
        ...shown,
        ...environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`),
      ];
    };
    await checkProperty(`${method} ${path}`, drawn(path, operation), check, 0.5).catch((error: Error) =>
      found.push(error.message),
    );
  }
  await renew();
  await environment.runCanary();
  expect(found).toEqual([]);
});

test('every registered route is in the OpenAPI document or listed as outside of it', () => {
  const documented = described().map(([method, path]) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  expect([...environment.gateway.routes].sort()).toEqual(
    [...documented, ...Object.keys(ROUTES_OUTSIDE_OPENAPI)].sort(),
  );
});

/** What a client of OAuth is told, in the form of RFC 6749, where it looks for a log-in. */
function isOauthRefusal(path: string, text: string): boolean {
  if (
    !/^\/(register|authorize|token|\.well-known\/(oauth-authorization-server|openid-configuration))/.test(
      path,
    )
  )
    return false;
  return /^\{"error":"\w+","error_description":"[^"]*(?:\\"[^"]*)*"\}$/.test(text);
}

test('every route outside of the OpenAPI document answers any path, query, body and method validly', async () => {
  const assertions = new McpReplyChecker(await listTools(gateway));
  const token = fc.constantFrom(OPERATOR_TOKEN, keys.mcp, keys.admin, 'nonsense');
  const inputs = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.constantFrom(
      ...new Set(Object.keys(ROUTES_OUTSIDE_OPENAPI).map((route) => route.split(' ')[1] ?? '')),
    ),
    more: fc.constantFrom(
      '',
      '?',
      '?a=1',
      '?%',
      '?x=%00',
      '/',
      '/%2e%2e/',
      '//',
      '/%ff',
      '#x',
      '?__proto__=1',
    ),
    token,
    body: fc.constantFrom<unknown>(undefined, {}, [], 7, null, 'x', { surprise: 1 }),
  });
  await checkProperty('outside of REST', inputs, async ({ method, path, more, token: shown, body }) => {
    const headers: [string, string][] = [['authorization', `Bearer ${shown}`]];
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const { reply, faults } = await environment.send(gateway, {
      method,
      path: path + more,
      headers,
      body: sent,
    });
    const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
    const isMcp = path === '/mcp' && reply.text !== '' && !reply.text.startsWith(':');
    // Metadata, health and metrics have shapes of their own; what is refused is refused as everywhere.
    const shape = isMcp
      ? assertions.findFaults(reply)
      : reply.status >= 400 && reply.text !== '' && path !== '/readyz' && path !== '/mcp'
        ? isOauthRefusal(path, reply.text)
          ? []
          : findRestFaults(reply, () => {})
        : [];
    return [...faults, ...shape, ...leaks];
  });
});
