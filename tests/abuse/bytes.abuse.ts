import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileBatches, hostileBodies, type HostileBody } from './hostile-json.ts';
import { endOf, faultsOfRest, McpJudge } from './judge.ts';
import { mcpHeaders, Stage, type Way } from './stage.ts';
import { listTools } from './tools.ts';
import type { WireRequest } from './wire.ts';

let stage: Stage;
let judge: McpJudge;

beforeAll(async () => {
  stage = await Stage.start();
  judge = new McpJudge(await listTools(stage.ways[0]));
});
afterAll(() => stage?.stop());

function toRequest(method: string, path: string, key: string, hostile: HostileBody): WireRequest {
  const given = new Map(mcpHeaders(key));
  for (const [name, value] of Object.entries(hostile.headers ?? {})) given.set(name, value);
  return { method, path, headers: [...given], body: hostile.bytes, claims: hostile.claims };
}

async function faultsOn(way: Way, path: string, method: string, hostile: HostileBody) {
  const key = path === '/mcp' ? way.keys.mcp : way.keys.admin;
  const { reply, faults } = await stage.send(way, toRequest(method, path, key, hostile));
  const unanswered = reply.status === 0 && hostile.mayGoUnanswered === true;
  const shape = unanswered ? [] : path === '/mcp' ? judge.faults(reply) : faultsOfRest(reply, () => {});
  const told = stage.secrets.toldBy(reply).map((secret) => `it tells ${secret}`);
  const polluted = reply.text.includes('polluted":1') ? ['a prototype was changed'] : [];
  const all = [...faults, ...shape, ...told, ...polluted];
  return {
    // Which of two refusals comes first is a race between the head and its end; a reply that its connection took
    // with it is none to compare.
    end: unanswered || hostile.claims !== undefined ? undefined : endOf(reply),
    faults: all.map((fault) => `${method} ${path} ${way.name}, ${hostile.name}: ${fault}`),
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

test.each(Object.keys(MCP))('MCP takes any bytes, %s, on both ways alike', async (where) => {
  const found: string[] = [];
  for (const hostile of hostileBodies(MCP[where] ?? String)) {
    const ends = new Set<string>();
    for (const way of stage.ways) {
      const { end, faults } = await faultsOn(way, '/mcp', 'POST', hostile);
      if (end !== undefined) ends.add(end);
      found.push(...faults);
    }
    if (ends.size > 1) found.push(`${hostile.name}: the ways differ: ${[...ends].join(' / ')}`);
  }
  await stage.canary();
  expect(found).toEqual([]);
});

test('MCP takes any batch, on both ways alike', async () => {
  const found: string[] = [];
  for (const one of [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_tasks', arguments: {} } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    for (const hostile of hostileBatches(one))
      for (const way of stage.ways) found.push(...(await faultsOn(way, '/mcp', 'POST', hostile)).faults);
  }
  await stage.canary();
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
  ['POST', '/v1/tenants/short/keys', (value) => `{"name":${value},"scopes":["mcp"]}`],
  ['POST', '/v1/interactions/x/answer', (value) => `{"status":"success","data":${value}}`],
];

test.each(REST)('%s %s takes any bytes', async (method, path, around) => {
  const found: string[] = [];
  const [way] = stage.ways;
  for (const hostile of hostileBodies(around)) {
    found.push(...(await faultsOn(way, path, method, hostile)).faults);
    // What was put must be readable again.
    if (method === 'PUT')
      found.push(...(await faultsOn(way, path, 'GET', { name: `${hostile.name}, read`, bytes: '' })).faults);
  }
  await stage.canary();
  expect(found).toEqual([]);
});
