import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { findRestFaults, McpReplyChecker } from './reply-checker.ts';
import { ROUTES_OUTSIDE_OPENAPI } from './routes-outside-openapi.ts';
import { AbuseEnvironment, type GatewayUnderTest } from './environment/abuse-environment.ts';
import { callToolAndCheck, listTools } from './tool-calls.ts';

/** The abuse suite finds each planted bug, and reports nothing else. */

let environment: AbuseEnvironment;
let gateway: GatewayUnderTest;
let tools: AnyJson[];
let assertions: McpReplyChecker;

beforeAll(async () => {
  environment = await AbuseEnvironment.start({ planted: true });
  gateway = environment.gateway;
  tools = await listTools(gateway);
  assertions = new McpReplyChecker(tools);
});
afterAll(() => environment?.stop());

const tool = async (name: string) => {
  const found = tools.find((one) => one.name === name);
  return (await callToolAndCheck(environment, assertions, gateway, found ?? { name }, {})).faults.join('\n');
};
const route = async (path: string) => {
  const headers = [['authorization', `Bearer ${OPERATOR_TOKEN}`]] as const;
  const { reply, faults } = await environment.send(gateway, { method: 'GET', path, headers });
  const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
  return [...faults, ...findRestFaults(reply, () => {}), ...leaks].join('\n');
};

test('a tool that throws, blocks, hangs or breaks its own schema is reported', async () => {
  expect(await tool('planted_throw')).toMatch(/reports internal/);
  expect(await tool('planted_block')).toMatch(/blocked for [23]\d\d ms/);
  expect(await tool('planted_hang')).toMatch(/it hung/);
  expect(await tool('planted_lie')).toMatch(/does not fit the output schema/);
});

test('a route that throws, blocks, hangs or leaks a secret is reported', async () => {
  expect(await route('/planted/throw')).toMatch(/status 500/);
  expect(await route('/planted/block')).toMatch(/blocked for [23]\d\d ms/);
  expect(await route('/planted/hang')).toMatch(/it hung/);
  expect(await route('/planted/echo')).toMatch(/it leaks operator-tok/);
});

test('a correct tool and a correct route are never reported', async () => {
  expect(await tool('get_tasks')).toBe('');
  expect(await route('/v1/tenants')).toBe('');
});

test('a route outside of the OpenAPI document is reported', () => {
  expect(gateway.routes.filter((one) => !one.includes(' /v1/') && !(one in ROUTES_OUTSIDE_OPENAPI))).toEqual([
    'GET /planted/throw',
    'GET /planted/block',
    'GET /planted/hang',
    'GET /planted/echo',
  ]);
});
