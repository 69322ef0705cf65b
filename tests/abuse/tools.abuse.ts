import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { inputsFor } from './inputs/schema-arbitraries.ts';
import { outcomeOf, McpReplyAssertions } from './reply-assertions.ts';
import { checkProperty } from './inputs/property-check.ts';
import { AbuseEnvironment } from './environment/abuse-environment.ts';
import { callTool, listTools, LiveState } from './tool-calls.ts';

let environment: AbuseEnvironment;
let tools: AnyJson[];
let assertions: McpReplyAssertions;
let standing: LiveState;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  tools = await listTools(environment.transports[0]);
  assertions = new McpReplyAssertions(tools);
  standing = new LiveState(environment);
});
afterAll(() => environment?.stop());

test('every tool that is listed takes any input, on both transports alike', async () => {
  const found: string[] = [];
  const covered: string[] = [];
  for (const tool of tools) {
    await standing.reset();
    const check = async (input: unknown) => {
      const ends: string[] = [];
      const faults: string[] = [];
      for (const transport of environment.transports) {
        const observed = await callTool(
          environment,
          assertions,
          transport,
          tool,
          standing.resolve(transport, input),
        );
        faults.push(...observed.faults);
        ends.push(outcomeOf(observed.reply));
      }
      if (ends[0] !== ends[1]) faults.push(`the transports differ: ${ends.join(' / ')}`);
      return faults;
    };
    await checkProperty(tool.name, inputsFor(tool.inputSchema, standing.values), check).catch(
      (error: Error) => found.push(error.message),
    );
    covered.push(tool.name);
    await environment.runCanary();
  }
  expect(found).toEqual([]);
  const served = await Promise.all(environment.transports.map(listTools));
  for (const list of served) expect(list.map(({ name }) => name)).toEqual(covered);
  expect(covered.length).toBeGreaterThan(5);
});
