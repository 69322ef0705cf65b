import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../harness/client.ts';
import { OPERATOR_TOKEN } from '../harness/deployment.ts';
import { faultsOfRest, McpJudge } from './judge.ts';
import { OUTSIDE_REST } from './outside-rest.ts';
import { Stage, type Way } from './stage.ts';
import { callTool, listTools } from './tools.ts';

/** The suite can fail: each fault that is planted in a deployment of its own is found, and nothing else is. */

let stage: Stage;
let way: Way;
let tools: Loose[];
let judge: McpJudge;

beforeAll(async () => {
  stage = await Stage.start({ planted: true });
  [way] = stage.ways;
  tools = await listTools(way);
  judge = new McpJudge(tools);
});
afterAll(() => stage?.stop());

const tool = async (name: string) => {
  const found = tools.find((one) => one.name === name);
  return (await callTool(stage, judge, way, found ?? { name }, {})).faults.join('\n');
};
const route = async (path: string) => {
  const headers = [['authorization', `Bearer ${OPERATOR_TOKEN}`]] as const;
  const { reply, faults } = await stage.send(way, { method: 'GET', path, headers });
  const told = stage.secrets.toldBy(reply).map((secret) => `it tells ${secret}`);
  return [...faults, ...faultsOfRest(reply, () => {}), ...told].join('\n');
};

test('a tool that throws, blocks, hangs or breaks its own schema is found', async () => {
  expect(await tool('planted_throw')).toMatch(/calls itself internal/);
  expect(await tool('planted_block')).toMatch(/blocked for [23]\d\d ms/);
  expect(await tool('planted_hang')).toMatch(/it hung/);
  expect(await tool('planted_lie')).toMatch(/does not fit the output schema/);
});

test('a route that throws, blocks, hangs or tells a secret is found', async () => {
  expect(await route('/planted/throw')).toMatch(/status 500/);
  expect(await route('/planted/block')).toMatch(/blocked for [23]\d\d ms/);
  expect(await route('/planted/hang')).toMatch(/it hung/);
  expect(await route('/planted/echo')).toMatch(/it tells operator-tok/);
});

test('what is all right is not found', async () => {
  expect(await tool('get_tasks')).toBe('');
  expect(await route('/v1/tenants')).toBe('');
});

test('a route that nobody described is seen', () => {
  expect(way.routes.filter((one) => !one.includes(' /v1/') && !(one in OUTSIDE_REST))).toEqual([
    'GET /planted/throw',
    'GET /planted/block',
    'GET /planted/hang',
    'GET /planted/echo',
  ]);
});
