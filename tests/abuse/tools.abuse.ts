import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { mixedInputs } from './inputs/schema-arbitraries.ts';
import { comparableOutcome, McpReplyChecker } from './reply-checker.ts';
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
  tools = await listTools(environment.transports[0]);
  assertions = new McpReplyChecker(tools);
  live = new StateFixture(environment);
});
afterAll(() => environment?.stop());

test('every listed tool gives any input the same valid result on both transports', async () => {
  const found: string[] = [];
  const covered: string[] = [];
  for (const tool of tools) {
    await live.reset();
    const check = async (input: unknown) => {
      const ends: string[] = [];
      const faults: string[] = [];
      for (const transport of environment.transports) {
        const observed = await callToolAndCheck(
          environment,
          assertions,
          transport,
          tool,
          live.resolve(transport, input),
        );
        faults.push(...observed.faults);
        ends.push(comparableOutcome(observed.reply));
      }
      if (ends[0] !== ends[1]) faults.push(`the transports differ: ${ends.join(' / ')}`);
      return faults;
    };
    await checkProperty(tool.name, mixedInputs(tool.inputSchema, live.values), check).catch((error: Error) =>
      found.push(error.message),
    );
    covered.push(tool.name);
    await environment.runCanary();
  }
  expect(found).toEqual([]);
  const served = await Promise.all(environment.transports.map(listTools));
  for (const list of served) expect(list.map(({ name }) => name)).toEqual(covered);
  expect(covered.length).toBeGreaterThan(5);
});
