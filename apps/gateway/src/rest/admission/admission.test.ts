import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Document } from '../testing/openapi-response-checker.ts';
import {
  createTestKey,
  createTestTenant,
  TEST_OPERATOR_TOKEN,
  type TestTenant,
  type TestReplicas,
  startTestReplicas,
} from '../testing/test-replicas.ts';

let replicas: TestReplicas;
let place: TestTenant;
let routes: [method: string, path: string][];

beforeAll(async () => {
  replicas = await startTestReplicas();
  place = await createTestTenant(replicas.one);
  const { body } = await replicas.one.send('GET', '/v1/openapi.json');
  routes = Object.entries((body as Document).paths)
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method): [string, string] => [method.toUpperCase(), path]),
    )
    .filter(([, path]) => path !== '/v1/openapi.json');
});
afterAll(() => replicas.stop());

/** A path of the document with this tenant in it, and something for every other id. */
const fill = (path: string, tenant = place.id) =>
  path.replace('{tenant}', tenant).replaceAll(/\{\w+\}/g, 'x');
const BODIES = { good: '{}', wrong: '[1]', broken: '{"a":', deep: '['.repeat(70) + ']'.repeat(70) };

test('no route answers anything but 401 without a valid credential, whatever its body', async () => {
  const { one } = replicas;
  const revoked = await createTestKey(one, place.id, ['mcp', 'agent', 'admin']);
  const id = revoked.split('_')[2];
  await one.send('DELETE', `/v1/tenants/${place.id}/keys/${id}`, { token: TEST_OPERATOR_TOKEN });
  const mistyped = `${place.mcp.slice(0, -1)}${place.mcp.endsWith('0') ? '1' : '0'}`;
  expect(routes.length).toBeGreaterThan(25);

  const ask = async (method: string, path: string, token: string | undefined, body: string) => {
    const raw = method === 'GET' ? {} : { raw: body };
    const answer = await one.send(method, fill(path), { token, ...raw });
    const { code } = answer.body;
    const { status } = answer;
    const refused = { status: 401, code: 'unauthenticated' };
    expect({ method, path, token, body, status, code }).toEqual({ method, path, token, body, ...refused });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="baton", .*resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource/,
    );
  };
  for (const [method, path] of routes) {
    const tokens = [undefined, 'nonsense', mistyped, revoked];
    const bodies = method === 'GET' ? [''] : Object.values(BODIES);
    await Promise.all(tokens.flatMap((token) => bodies.map((body) => ask(method, path, token, body))));
  }
}, 120_000);

test('a 401 names the credential that the route wants: the operator token where no key is taken', async () => {
  const { one } = replicas;
  const told = async (path: string, token?: string) => (await one.send('GET', path, { token })).text;
  for (const path of ['/v1/tenants', '/v1/status']) {
    expect(await told(path)).toContain('Bearer <operator token>');
    expect(await told(path, 'nonsense')).toContain('is not the operator token');
  }
  for (const path of ['/v1/tasks', `/v1/tenants/${place.id}/tasks`]) {
    expect(await told(path)).toContain('Bearer <API key>');
    expect(await told(path, 'nonsense')).toContain('is not a Baton API key');
  }
});

test('a key of a tenant that was never created is refused like one that was revoked', async () => {
  const { one } = replicas;
  const { formatApiKey } = await import('@baton/protocol');
  const foreign = formatApiKey('no-such-tenant', 'A'.repeat(12), 'B'.repeat(32));
  const known = formatApiKey(place.id, 'A'.repeat(12), 'B'.repeat(32));
  const [a, b] = [foreign, known].map((token) => one.send('GET', '/v1/tasks', { token }));
  expect((await a)?.status).toBe(401);
  expect((await a)?.text).toBe((await b)?.text);
});

test('the scope that is missing is named, in the body and in WWW-Authenticate', async () => {
  const { one } = replicas;
  const refused: [string, string, string, string][] = [
    ['GET', '/v1/tenants', place.admin, 'operator'],
    ['POST', '/v1/tenants', place.mcp, 'operator'],
    ['PATCH', `/v1/tenants/${place.id}`, place.admin, 'operator'],
    ['GET', `/v1/tenants/${place.id}/keys`, place.mcp, 'admin'],
    ['POST', `/v1/tenants/${place.id}/keys`, place.agent, 'admin'],
    ['GET', `/v1/tenants/${place.id}/tasks`, place.mcp, 'admin'],
    ['GET', '/v1/projects', place.agent, 'mcp'],
    ['POST', '/v1/interactions/x/answer', place.admin, 'mcp'],
    ['POST', `/v1/tenants/${place.id}/interactions/x/answer`, place.admin, 'mcp'],
  ];
  const json = { agentLLMResponse: { status: 'success', data: { text: 'x' } } };
  for (const [method, path, token, scope] of refused) {
    const asked = path.endsWith('answer') ? { json } : method === 'GET' ? {} : { json: {} };
    const answer = await one.send(method, path, { token, ...asked });
    expect([method, path, answer.status]).toEqual([method, path, 403]);
    expect(answer.body).toMatchObject({ code: 'insufficient_scope', scope });
    expect(answer.headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${scope}"`);
  }
});

test('a missing scope is told before anything that is wrong with the body', async () => {
  const { one } = replicas;
  for (const raw of Object.values(BODIES)) {
    const create = await one.send('POST', '/v1/tenants', { token: place.mcp, raw });
    const key = await one.send('POST', `/v1/tenants/${place.id}/keys`, { token: place.mcp, raw });
    const answer = await one.send('POST', '/v1/interactions/x/answer', { token: place.admin, raw });
    expect([create.status, key.status, answer.status]).toEqual([403, 403, 403]);
  }
});

test('a request is counted once against the rate limit, whether its body is good or broken', async () => {
  const { one } = replicas;
  for (const [path, body] of [
    ['/v1/tasks/x/cancel', BODIES.good],
    ['/v1/tasks/x/cancel', BODIES.wrong],
    ['/v1/tasks/x/cancel', BODIES.broken],
    ['/v1/interactions/x/answer', BODIES.deep],
    ['/v1/interactions/x/answer', BODIES.good],
  ] as const) {
    const { mcp } = await createTestTenant(one, { requestsPerSecond: 1, burst: 20 });
    const asked = Array.from({ length: 60 }, () => one.send('POST', path, { token: mcp, raw: body }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    // Counted twice they are 50. Each second that this takes gives one token back.
    expect(refused, `of ${statuses.join()}`).toBeGreaterThan(30);
    expect(refused, `of ${statuses.join()}`).toBeLessThanOrEqual(40);
  }
});

test('the operator token has to name its tenant, and is told how', async () => {
  const { one } = replicas;
  for (const path of ['/v1/tasks', '/v1/interactions', '/v1/projects/default']) {
    const answer = await one.send('GET', path, { token: TEST_OPERATOR_TOKEN });
    expect([path, answer.status, answer.body.field]).toEqual([path, 400, 'tenant']);
    expect(answer.body.detail).toContain('/v1/tenants/{tenant}/');
  }
});

test('an admin key uses the path of its own tenant, and finds there what its key alone finds', async () => {
  const { one, other } = replicas;
  await one.delegate(place.mcp);
  for (const resource of ['tasks', 'interactions', 'projects']) {
    const byKey = await one.send('GET', `/v1/${resource}`, { token: place.admin });
    const byPath = await other.send('GET', `/v1/tenants/${place.id}/${resource}`, { token: place.admin });
    const byOperator = await other.send('GET', `/v1/tenants/${place.id}/${resource}`, {
      token: TEST_OPERATOR_TOKEN,
    });
    expect(byKey.status).toBe(200);
    expect(byPath.text).toBe(byKey.text);
    expect(byOperator.text).toBe(byKey.text);
  }
});

test('what does not exist under /v1 is a problem document', async () => {
  const { one } = replicas;
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['PUT', '/v1/tenant'],
    ['DELETE', '/v1/tasks/one/two'],
  ] as const) {
    const answer = await one.send(method, path, { token: place.mcp });
    expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, 'not_found']);
  }
});
