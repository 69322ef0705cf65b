import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../harness/client.ts';
import { inputsFor } from './from-schema.ts';
import { endOf, McpJudge } from './judge.ts';
import { hold } from './runs.ts';
import { Stage } from './stage.ts';
import { callTool, listTools, Standing } from './tools.ts';

let stage: Stage;
let tools: Loose[];
let judge: McpJudge;
let standing: Standing;

beforeAll(async () => {
  stage = await Stage.start();
  tools = await listTools(stage.ways[0]);
  judge = new McpJudge(tools);
  standing = new Standing(stage);
});
afterAll(() => stage?.stop());

test('every tool that is listed takes any input, on both ways alike', async () => {
  const found: string[] = [];
  const covered: string[] = [];
  for (const tool of tools) {
    await standing.renew();
    const check = async (input: unknown) => {
      const ends: string[] = [];
      const faults: string[] = [];
      for (const way of stage.ways) {
        const observed = await callTool(stage, judge, way, tool, standing.resolve(way, input));
        faults.push(...observed.faults);
        ends.push(endOf(observed.reply));
      }
      if (ends[0] !== ends[1]) faults.push(`the ways differ: ${ends.join(' / ')}`);
      return faults;
    };
    await hold(tool.name, inputsFor(tool.inputSchema, standing.live), check).catch((error: Error) =>
      found.push(error.message),
    );
    covered.push(tool.name);
    await stage.canary();
  }
  expect(found).toEqual([]);
  const served = await Promise.all(stage.ways.map(listTools));
  for (const list of served) expect(list.map(({ name }) => name)).toEqual(covered);
  expect(covered.length).toBeGreaterThan(5);
});
