import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileBatches, hostileBodies, type HostileBody } from './inputs/hostile-bodies.ts';
import { findRestFaults, McpReplyChecker } from './reply-checker.ts';
import { mcpHeaders, AbuseEnvironment, type GatewayUnderTest } from './environment/abuse-environment.ts';
import { listTools } from './tool-calls.ts';
import type { RawRequest } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  assertions = new McpReplyChecker(await listTools(environment.gateway));
});
afterAll(() => environment?.stop());

function toRequest(method: string, path: string, key: string, hostile: HostileBody): RawRequest {
  const given = new Map(mcpHeaders(key));
  for (const [name, value] of Object.entries(hostile.headers ?? {})) given.set(name, value);
  return { method, path, headers: [...given], body: hostile.bytes, contentLength: hostile.contentLength };
}

async function faultsOn(gateway: GatewayUnderTest, path: string, method: string, hostile: HostileBody) {
  const key = path === '/mcp' ? gateway.keys.mcp : gateway.keys.admin;
  const { reply, faults } = await environment.send(gateway, toRequest(method, path, key, hostile));
  const unanswered = reply.status === 0 && hostile.mayGoUnanswered === true;
  const shape = unanswered
    ? []
    : path === '/mcp'
      ? assertions.findFaults(reply)
      : findRestFaults(reply, () => {});
  const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
  const polluted = reply.text.includes('polluted":1') ? ['a prototype was changed'] : [];
  const all = [...faults, ...shape, ...leaks, ...polluted];
  return all.map((fault) => `${method} ${path}, ${hostile.name}: ${fault}`);
}

const message = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const MCP: Readonly<Record<string, (value: string) => string>> = {
  'in an argument': (value) =>
    message('tools/call', `{"name":"get_tasks","arguments":{"projectRoot":${value}}}`),
  'as the arguments': (value) => message('tools/call', `{"name":"get_tasks","arguments":${value}}`),
  'in _meta': (value) => message('tools/call', `{"name":"get_tasks","arguments":{},"_meta":{"x":${value}}}`),
  'as the params': (value) => message('tools/list', value),
  'beside the params': (value) => message('ping', `{},"surprise":${value}`),
};

test.each(Object.keys(MCP))('any bytes %s of an MCP request get a valid reply', async (where) => {
  const found: string[] = [];
  for (const hostile of hostileBodies(MCP[where] ?? String)) {
    found.push(...(await faultsOn(environment.gateway, '/mcp', 'POST', hostile)));
  }
  await environment.runCanary();
  expect(found).toEqual([]);
});

test('any batch gets a valid reply', async () => {
  const found: string[] = [];
  for (const one of [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_tasks', arguments: {} } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    for (const hostile of hostileBatches(one))
      found.push(...(await faultsOn(environment.gateway, '/mcp', 'POST', hostile)));
  }
  await environment.runCanary();
  expect(found).toEqual([]);
});

const REST: readonly (readonly [string, string, (value: string) => string])[] = [
  [
    'PUT',
    '/v1/projects/demo',
    (value) => `{"master":{"tasks":[{"id":1,"title":"T","description":${value}}]}}`,
  ],
  ['PUT', '/v1/projects/demo', (value) => `{"master":{"tasks":[{"id":1,"title":"T","extra":${value}}]}}`],
  ['PUT', '/v1/projects/demo', (value) => `{"master":{"tasks":${value}}}`],
  ['PUT', '/v1/projects/demo', (value) => value],
  ['POST', '/v1/tenants/gateway/keys', (value) => `{"name":${value},"scopes":["mcp"]}`],
  ['POST', '/v1/interactions/x/answer', (value) => `{"status":"success","data":${value}}`],
];

test.each(REST)('%s %s answers any bytes with a valid reply', async (method, path, around) => {
  const found: string[] = [];
  const { gateway } = environment;
  for (const hostile of hostileBodies(around)) {
    found.push(...(await faultsOn(gateway, path, method, hostile)));
    // What was put must be readable again.
    if (method === 'PUT')
      found.push(...(await faultsOn(gateway, path, 'GET', { name: `${hostile.name}, read`, bytes: '' })));
  }
  await environment.runCanary();
  expect(found).toEqual([]);
});
