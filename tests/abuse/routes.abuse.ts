import fc from 'fast-check';
import { OperatorDoor } from '@baton/store/operator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Contract } from '../../apps/gateway/src/rest/testing/contract.ts';
import type { Loose } from '../harness/client.ts';
import { OPERATOR_TOKEN } from '../harness/deployment.ts';
import { fitting, inputsFor, junk } from './from-schema.ts';
import { endOf, faultsOfRest, McpJudge } from './judge.ts';
import { OUTSIDE_REST } from './outside-rest.ts';
import { hold } from './runs.ts';
import { type Keys, newKeys, Stage, WIDE, type Way } from './stage.ts';
import { listTools } from './tools.ts';
import type { WireRequest } from './wire.ts';

let stage: Stage;
let way: Way;
let document: Loose;
let contract: Contract;
let keys: Keys;
/** What a path's `{id}` may name, by what stands before it. */
let live: Record<string, string[]>;

beforeAll(async () => {
  stage = await Stage.start();
  [way] = stage.ways;
  document = await (await fetch(`${way.url}/v1/openapi.json`)).json();
  contract = new Contract(document);
});
afterAll(() => stage?.stop());

/** A tenant's things anew: an earlier route may have suspended it, revoked its keys or cancelled its tasks. */
async function renew(): Promise<void> {
  const { tenant } = way;
  await new OperatorDoor(stage.store).change(tenant, { suspended: false, limits: WIDE });
  const { credentials } = stage.store.tenant(tenant);
  keys = await newKeys(stage.store, tenant);
  stage.secrets.add(...Object.values(keys));
  const spare = await credentials.create({ name: 'spare', scopes: ['mcp'] });
  const parked = await stage.call({ ...way, keys }, 'parse_prd', {
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
function drawn(path: string, described: Loose): fc.Arbitrary<Drawn> {
  const inPath = [...path.matchAll(/\/([^/{]+)\/\{(\w+)\}/g)];
  const params = Object.fromEntries(
    inPath.map(([, noun = '', name = '']) => [
      name,
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...(live[noun] ?? ['x'])) },
        {
          weight: 1,
          arbitrary: junk.map((value) =>
            typeof value === 'string' ? value.slice(0, 6_000) : JSON.stringify(value),
          ),
        },
      ),
    ]),
  );
  const inQuery = (described.parameters ?? []).filter((one: Loose) => one.in === 'query');
  const query = Object.fromEntries(
    inQuery.map((one: Loose) => [one.name, fc.oneof(fitting(one.schema, {}, one.name), junk)]),
  );
  const schema = described.requestBody?.content?.['application/json']?.schema;
  const admins = described.security.some((way: Loose) => way.operatorToken !== undefined);
  return fc.record({
    params: fc.record(params),
    query: fc.record(query, { requiredKeys: [] }),
    // A body that a GET ignores is cut off with its connection, and the response with it, where it is long.
    body:
      schema === undefined
        ? fc.constantFrom<unknown>(undefined, {}, [], 7, null, 'x', { surprise: 1 })
        : inputsFor(schema, { tenant: [], projectRoot: ['demo'] }),
    credential: fc.constantFrom(
      ...(admins ? ['operator', 'operator', 'admin', 'mcp'] : ['mcp', 'admin', 'agent']),
    ),
  });
}

function toRequest(method: string, path: string, { params, query, body, credential }: Drawn): WireRequest {
  const token = credential === 'operator' ? OPERATOR_TOKEN : keys[credential as keyof Keys];
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

const described = (): [method: string, path: string, operation: Loose][] =>
  Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).map(([method, operation]): [string, string, Loose] => [
      method.toUpperCase(),
      path,
      operation,
    ]),
  );

test('every route of the OpenAPI document takes any input', async () => {
  const found: string[] = [];
  for (const [method, path, operation] of described()) {
    await renew();
    const check = async (input: Drawn) => {
      const request = toRequest(method, path, input);
      const { reply, faults } = await stage.send(way, request);
      const shown = faultsOfRest(reply, (body) =>
        contract.hold(method, request.path, { ...reply, headers: reply.headers as unknown as Headers, body }),
      );
      return [...faults, ...shown, ...stage.secrets.toldBy(reply).map((secret) => `it tells ${secret}`)];
    };
    await hold(`${method} ${path}`, drawn(path, operation), check, 0.5).catch((error: Error) =>
      found.push(error.message),
    );
  }
  await renew();
  await stage.canary();
  expect(found).toEqual([]);
});

test('every route that is served is in the OpenAPI document, or is one that belongs outside of it', () => {
  const documented = described().map(([method, path]) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  for (const { routes } of stage.ways)
    expect([...routes].sort()).toEqual([...documented, ...Object.keys(OUTSIDE_REST)].sort());
});

test('every route outside of the document takes any path, query, body and method', async () => {
  const judge = new McpJudge(await listTools(way));
  const token = fc.constantFrom(OPERATOR_TOKEN, keys.mcp, keys.admin, 'nonsense');
  const inputs = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: fc.constantFrom(...new Set(Object.keys(OUTSIDE_REST).map((route) => route.split(' ')[1] ?? ''))),
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
  await hold('outside of REST', inputs, async ({ method, path, more, token: shown, body }) => {
    const headers: [string, string][] = [['authorization', `Bearer ${shown}`]];
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const { reply, faults } = await stage.send(way, { method, path: path + more, headers, body: sent });
    const told = stage.secrets.toldBy(reply).map((secret) => `it tells ${secret}`);
    const isMcp = path === '/mcp' && reply.text !== '' && !reply.text.startsWith(':');
    // Metadata, health and metrics have shapes of their own; what is refused is refused as everywhere.
    const shape = isMcp
      ? judge.faults(reply)
      : reply.status >= 400 && reply.text !== '' && path !== '/readyz' && path !== '/mcp'
        ? faultsOfRest(reply, () => {})
        : [];
    return [...faults, ...shape, ...told];
  });
  expect(endOf({ status: 404, headers: new Map(), text: '', ms: 0, hung: false })).toBe('404');
});
