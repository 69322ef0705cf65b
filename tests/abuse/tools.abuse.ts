import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { mixedInputs } from './inputs/schema-arbitraries.ts';
import { McpReplyChecker } from './reply-checker.ts';
import { checkProperty } from './inputs/property-check.ts';
import { AbuseEnvironment } from './environment/abuse-environment.ts';
import { callToolAndCheck, listTools } from './tool-calls.ts';
import { StateFixture } from './state-fixture.ts';

let environment: AbuseEnvironment;
let tools: AnyJson[];
let assertions: McpReplyChecker;
let live: StateFixture;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  tools = await listTools(environment.gateway);
  assertions = new McpReplyChecker(tools);
  live = new StateFixture(environment);
});
afterAll(() => environment?.stop());

test('every listed tool gives any input a valid result', async () => {
  const found: string[] = [];
  const covered: string[] = [];
  for (const tool of tools) {
    await live.reset();
    const check = async (input: unknown) => {
      const { gateway } = environment;
      const resolved = live.resolve(gateway, input);
      return (await callToolAndCheck(environment, assertions, gateway, tool, resolved)).faults;
    };
    await checkProperty(tool.name, mixedInputs(tool.inputSchema, live.values), check).catch((error: Error) =>
      found.push(error.message),
    );
    covered.push(tool.name);
    await environment.runCanary();
  }
  expect(found).toEqual([]);
  expect((await listTools(environment.gateway)).map(({ name }) => name)).toEqual(covered);
  expect(covered.length).toBeGreaterThan(5);
});
