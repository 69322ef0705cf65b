import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileBatches, hostileBodies, type HostileBody } from './inputs/hostile-bodies.ts';
import { comparableOutcome, findRestFaults, McpReplyChecker } from './reply-checker.ts';
import { mcpHeaders, AbuseEnvironment, type TransportUnderTest } from './environment/abuse-environment.ts';
import { listTools } from './tool-calls.ts';
import type { RawRequest } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  assertions = new McpReplyChecker(await listTools(environment.transports[0]));
});
afterAll(() => environment?.stop());

function toRequest(method: string, path: string, key: string, hostile: HostileBody): RawRequest {
  const given = new Map(mcpHeaders(key));
  for (const [name, value] of Object.entries(hostile.headers ?? {})) given.set(name, value);
  return { method, path, headers: [...given], body: hostile.bytes, contentLength: hostile.contentLength };
}

async function faultsOn(transport: TransportUnderTest, path: string, method: string, hostile: HostileBody) {
  const key = path === '/mcp' ? transport.keys.mcp : transport.keys.admin;
  const { reply, faults } = await environment.send(transport, toRequest(method, path, key, hostile));
  const unanswered = reply.status === 0 && hostile.mayGoUnanswered === true;
  const shape = unanswered
    ? []
    : path === '/mcp'
      ? assertions.findFaults(reply)
      : findRestFaults(reply, () => {});
  const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
  const polluted = reply.text.includes('polluted":1') ? ['a prototype was changed'] : [];
  const all = [...faults, ...shape, ...leaks, ...polluted];
  return {
    // Which of two refusals comes first is a race between the head and its end; a reply that its connection took
    // with it is none to compare.
    end: unanswered || hostile.contentLength !== undefined ? undefined : comparableOutcome(reply),
    faults: all.map((fault) => `${method} ${path} ${transport.name}, ${hostile.name}: ${fault}`),
  };
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

test.each(Object.keys(MCP))(
  'any bytes %s of an MCP request get the same valid reply on both transports',
  async (where) => {
    const found: string[] = [];
    for (const hostile of hostileBodies(MCP[where] ?? String)) {
      const ends = new Set<string>();
      for (const transport of environment.transports) {
        const { end, faults } = await faultsOn(transport, '/mcp', 'POST', hostile);
        if (end !== undefined) ends.add(end);
        found.push(...faults);
      }
      if (ends.size > 1) found.push(`${hostile.name}: the transports differ: ${[...ends].join(' / ')}`);
    }
    await environment.runCanary();
    expect(found).toEqual([]);
  },
);

test('any batch gets a valid reply on both transports', async () => {
  const found: string[] = [];
  for (const one of [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_tasks', arguments: {} } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    for (const hostile of hostileBatches(one))
      for (const transport of environment.transports)
        found.push(...(await faultsOn(transport, '/mcp', 'POST', hostile)).faults);
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
  ['POST', '/v1/tenants/fast-path/keys', (value) => `{"name":${value},"scopes":["mcp"]}`],
  ['POST', '/v1/interactions/x/answer', (value) => `{"status":"success","data":${value}}`],
];

test.each(REST)('%s %s answers any bytes with a valid reply', async (method, path, around) => {
  const found: string[] = [];
  const [transport] = environment.transports;
  for (const hostile of hostileBodies(around)) {
    found.push(...(await faultsOn(transport, path, method, hostile)).faults);
    // What was put must be readable again.
    if (method === 'PUT')
      found.push(
        ...(await faultsOn(transport, path, 'GET', { name: `${hostile.name}, read`, bytes: '' })).faults,
      );
  }
  await environment.runCanary();
  expect(found).toEqual([]);
});
