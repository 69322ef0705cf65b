import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { OperatorStore } from '@baton/store/operator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

const LARGE = 70_000;
const MOST = 4_194_304;
/** What a slow client writes at a time. */
const PART = 131_072;

let baton: InProcessDeployment;
let revoked: string;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1, limits: { requestBytes: 1_048_576 } });
  const { apiKeys } = baton.store.tenant('acme');
  const gone = await apiKeys.create({ name: 'gone', scopes: ['mcp', 'agent', 'admin'] });
  await apiKeys.revoke(gone.id);
  revoked = gone.key;
});
afterAll(() => baton.stop());

const mcpKey = async () =>
  (await baton.store.tenant('acme').apiKeys.create({ name: 'calls', scopes: ['mcp'] })).key;

const tool = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
/** JSON that means the same, in so many bytes more. */
const padded = (body: object) => JSON.stringify(body) + ' '.repeat(LARGE);

/** What is said to a request that begins and never goes on: nobody has read more of its body than there is. */
async function begin(
  method: string,
  path: string,
  token: string | undefined,
  framing: Record<string, string>,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: AnyJson }> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/json', ...authorization, ...framing };
  const asked = request(baton.url() + path, { method, headers });
  asked.on('error', () => {});
  asked.write('{"begins":');
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  const body = JSON.parse(await text(reply));
  asked.destroy();
  return { status: reply.statusCode, headers: reply.headers, body };
}

const ANNOUNCED = { 'content-length': String(MOST) };
const CHUNKED = { 'transfer-encoding': 'chunked' };

describe.concurrent('a large body is refused before it is read', () => {
  test.each([
    ['POST', '/mcp', ANNOUNCED],
    ['POST', '/mcp', CHUNKED],
    ['DELETE', '/mcp', ANNOUNCED],
    ['PUT', '/v1/projects/default', ANNOUNCED],
    ['PUT', '/v1/projects/default', CHUNKED],
    ['POST', '/v1/interactions/x/answer', ANNOUNCED],
    ['POST', '/v1/tenants', ANNOUNCED],
    // YAML takes longer to parse: no body of it is small.
    ['PUT', '/v1/workflows/w', { 'content-type': 'application/yaml', 'content-length': '100' }],
    ['PUT', '/v1/tenants/acme/projects/default', ANNOUNCED],
  ])('of a revoked key: %s %s %o', async (method, path, framing) => {
    const { status, headers, body } = await begin(method, path, revoked, framing);
    expect([status, (body.error?.data ?? body).code]).toEqual([401, 'unauthenticated']);
    expect(headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token", resource_metadata=/);
    if (path === '/mcp') expect(body).toMatchObject({ jsonrpc: '2.0', id: null });
    else expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  });

  test('of a key that has not the scope for it', async () => {
    const { status, body } = await begin('PUT', '/v1/workflows/w', await mcpKey(), ANNOUNCED);
    expect([status, body]).toMatchObject([403, { code: 'insufficient_scope' }]);
  });

  test("when it exceeds its tenant's limit on request bytes", async () => {
    const { status, body } = await begin('POST', '/mcp', baton.apiKey, ANNOUNCED);
    expect([status, body.error.data]).toMatchObject([413, { limit: 'requestBytes', bytes: MOST }]);
  });

  test.each([
    ['POST', '/nothing', 404],
    ['PUT', '/mcp', 405],
  ])('where nobody wants one: %s %s', async (method, path, expected) => {
    for (const framing of [ANNOUNCED, CHUNKED])
      expect((await begin(method, path, undefined, framing)).status).toBe(expected);
  });
});

test.each([
  ['POST', '/mcp'],
  ['PUT', '/v1/projects/default'],
])('a client that sends all of a large body before it listens hears why: %s %s', async (method, path) => {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: baton',
    'connection: close',
    `authorization: Bearer ${revoked}`,
    'content-type: application/json',
    `content-length: ${MOST}`,
  ];
  const socket = connect({ port: Number(new URL(baton.url()).port), host: '127.0.0.1' });
  const write = (data: string | Buffer) =>
    new Promise<void>((resolve, reject) =>
      socket.write(data, (error) => (error ? reject(error) : resolve())),
    );
  await write(`${head.join('\r\n')}\r\n\r\n`);
  for (let sent = 0; sent < MOST; sent += PART) await write(Buffer.alloc(PART, ' '));
  expect(await text(socket)).toMatch(/^HTTP\/1.1 401 [^]*unauthenticated/);
});

test('only a large body costs an extra look-up of the key', async () => {
  const get = tool('get_tasks', { projectRoot: 'none' });
  const callsOf = async (body: unknown) => {
    const monitor = await RedisMonitor.open(baton.redisUrl);
    expect((await postJsonRpc(baton.url(), baton.apiKey, body)).body.result.isError).toBe(true);
    const calls = (await monitor.commands()).filter((command) => command.includes(':key:')).length;
    monitor.close();
    return calls;
  };
  // Each script's first run names it and then sends it.
  await callsOf(padded(get));
  expect(await callsOf(get)).toBe(1);
  expect(await callsOf(padded(get))).toBe(2);
});

test('YAML counts as ten times its bytes', async () => {
  const mcp = await baton.addTenant('counted-yaml', { requestsPerSecond: 0.001, burst: 6 });
  const { key } = await baton.store
    .tenant('counted-yaml')
    .apiKeys.create({ name: 'admin', scopes: ['admin'] });
  const put = (type: string, by = key) => {
    const headers = { authorization: `Bearer ${by}`, 'content-type': type };
    return fetch(`${baton.url()}/v1/workflows/w`, { method: 'PUT', headers, body: `[]${' '.repeat(8_000)}` });
  };
  expect((await put('application/yaml', mcp)).status).toBe(403);
  const statuses = [];
  for (const type of ['json', 'yaml', 'yaml']) statuses.push((await put(`application/${type}`)).status);
  expect(statuses).toEqual([400, 400, 429]);
});

test('a request counts by its body: one of 70,000 bytes as five', async () => {
  const slow = { requestsPerSecond: 0.001, burst: 6 };
  const [mcp, rest] = [
    await baton.addTenant('counted-mcp', slow),
    await baton.addTenant('counted-rest', slow),
  ];
  const statuses: Record<string, number[]> = { mcp: [], rest: [] };
  for (let n = 0; n < 5; n++) {
    statuses['mcp']!.push((await postJsonRpc(baton.url(), mcp, padded(tool('get_tasks')))).status);
    const headers = { authorization: `Bearer ${rest}`, 'content-type': 'application/json' };
    const put = { method: 'PUT', headers, body: padded({ master: { tasks: [] } }) };
    statuses['rest']!.push((await fetch(`${baton.url()}/v1/projects/default`, put)).status);
  }
  expect(statuses).toEqual({ mcp: [200, 200, 429, 429, 429], rest: [200, 200, 429, 429, 429] });
});

test('a large answer is taken when a large call is not any more, and refused when no answer is', async () => {
  const key = await baton.addTenant('answering', { requestsPerSecond: 100_000, burst: 100_000 });
  const asked: string[] = [];
  while (asked.length < 22) {
    const { body } = await postJsonRpc(baton.url(), key, tool('bench_echo', { text: 'x' }));
    asked.push(body.result.structuredContent.interactionId);
  }
  await new OperatorStore(baton.store).update('answering', {
    limits: { requestsPerSecond: 0.001, burst: 2 },
  });
  const statusOf = async (call: Parameters<typeof postJsonRpc>[2]) =>
    (await postJsonRpc(baton.url(), key, call)).status;
  const answer = (interactionId: string) =>
    padded(tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'y' }), waitMs: 0 }));
  while ((await statusOf(tool('get_tasks'))) === 200);
  expect(await statusOf(padded(tool('get_tasks')))).toBe(429);
  const taken = [];
  for (const interactionId of asked) taken.push(await statusOf(answer(interactionId)));
  expect(taken).toEqual(Array.from({ length: 22 }, (_, n) => (n < 4 ? 200 : 429)));
  expect(await statusOf(answer(asked[0] ?? '')), 'the same again costs what a call costs').toBe(429);
  expect((await begin('POST', '/mcp', key, { 'content-length': String(LARGE) })).status).toBe(429);
});

test("the operator's large bodies are accepted without a key", async () => {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
  const put = { method: 'PUT', headers, body: padded({ master: { tasks: [] } }) };
  expect((await fetch(`${baton.url()}/v1/tenants/acme/projects/operated`, put)).status).toBe(200);
});
