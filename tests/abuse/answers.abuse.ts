import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { mixedInputs } from './inputs/schema-arbitraries.ts';
import { McpReplyChecker } from './reply-checker.ts';
import { checkProperty } from './inputs/property-check.ts';
import { AbuseEnvironment } from './environment/abuse-environment.ts';
import { callToolAndCheck, listTools } from './tool-calls.ts';
import { parseJsonRpcMessages } from './environment/raw-http.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;
let tool: AnyJson;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  const tools = await listTools(environment.gateway);
  assertions = new McpReplyChecker(tools);
  tool = tools.find(({ name }) => name === 'agent_llm');
});
afterAll(() => environment?.stop());

const tasks = (count: number, more: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `T${index}`,
    description: 'd',
    ...more(index),
  }));
const list = (length: number, of: (index: number) => unknown) =>
  Array.from({ length }, (_, index) => of(index));

const HOSTILE: Readonly<Record<string, () => unknown>> = {
  '500 tasks with 200 dependencies each, in one ring': () => ({
    tasks: tasks(500, (at) => ({ dependencies: list(200, (n) => ((at + n) % 500) + 1) })),
  }),
  '500 tasks of one id with 200 dependencies each': () => ({
    tasks: tasks(500, () => ({ id: 1, dependencies: list(200, (n) => n + 1) })),
  }),
  '500 tasks with 200 wrong dependencies each': () => ({
    tasks: tasks(500, () => ({ dependencies: list(200, () => 'x') })),
  }),
  '500 tasks with 200 negative dependencies each': () => ({
    tasks: tasks(500, () => ({ dependencies: list(200, () => -1) })),
  }),
  '10,000 tasks': () => ({ tasks: tasks(10_000) }),
  '10,000 tasks as text': () => ({ text: JSON.stringify({ tasks: tasks(10_000) }) }),
  '170,000 wrong tasks': () => ({ tasks: list(170_000, () => 1) }),
  'a dependency list of 170,000': () => ({
    tasks: tasks(1, () => ({ dependencies: list(170_000, () => 1) })),
  }),
  'dependencies as a text of 400,000': () => ({
    tasks: tasks(1, () => ({ dependencies: '1,'.repeat(200_000) })),
  }),
  'a description of 170,000 lines': () => ({
    tasks: tasks(1, () => ({ description: list(170_000, () => '') })),
  }),
  '40,000 fields beside the tasks': () => ({
    tasks: tasks(1),
    ...Object.fromEntries(list(40_000, (n) => [`k${n as number}`, 1]) as [string, number][]),
  }),
  '40,000 fields of metadata': () => ({
    tasks: tasks(1),
    metadata: Object.fromEntries(list(40_000, (n) => [`k${n as number}`, 1]) as [string, number][]),
  }),
  'titles of one byte over': () => ({ tasks: tasks(5, () => ({ title: 'x'.repeat(2_001) })) }),
  'titles of unicode': () => ({ tasks: tasks(50, () => ({ title: '\u{1f980}\u202e\u0000'.repeat(200) })) }),
  'lone surrogates': () => ({ tasks: tasks(2, () => ({ title: '\ud800' })) }),
  'colliding ids': () => ({ tasks: [...tasks(3), ...tasks(3)] }),
  'dependencies on oneself': () => ({ tasks: tasks(3, (at) => ({ dependencies: [at + 1] })) }),
  'unknown dependencies': () => ({ tasks: tasks(3, () => ({ dependencies: [99, '7.3', '#4'] })) }),
  'no tasks': () => ({ tasks: [] }),
  'half a JSON': () => ({ text: '{"tasks":[{"id":1,"tit' }),
  'JSON in a fence that never closes': () => ({ text: `\`\`\`json\n${'['.repeat(200_000)}` }),
  '100,000 fences': () => ({ text: '```\n'.repeat(100_000) }),
  '400,000 backticks': () => ({ text: '`'.repeat(400_000) }),
  'blanks and a fence': () => ({ text: `\`\`\`\n${' '.repeat(400_000)}x` }),
  'a text of depth 20,000': () => ({ text: '['.repeat(20_000) }),
  'everything at once': () => ({
    object: { tasks: [{}] },
    text: 'x'.repeat(100_000),
    content: [{ type: 'text', text: 'x' }],
    toolCalls: [{}],
    usage: { inputTokens: -1 },
  }),
  'an object of itself': () => ({ object: { object: { object: { tasks: tasks(1) } } } }),
  'named as the language names things': () => ({
    constructor: 1,
    toString: 2,
    tasks: [{ id: 1, title: 'T', description: 'd', hasOwnProperty: 1 }],
  }),
  'a text of 500,000': () => 'x'.repeat(500_000),
  'just under the limit': () => 'x'.repeat(524_288 - 40),
  'over the limit': () => 'x'.repeat(524_289),
};

async function answer(data: unknown): Promise<string[]> {
  const found: string[] = [];
  const { gateway } = environment;
  const parked = await environment.callToolForContent(gateway, 'parse_prd', {
    prd: 'A shop',
    projectRoot: 'answers',
    force: true,
  });
  const args = {
    interactionId: parked.interactionId,
    agentLLMResponse: { status: 'success', data },
    waitMs: 5_000,
  };
  const { reply, faults } = await callToolAndCheck(environment, assertions, gateway, tool, args);
  const outcome = (parseJsonRpcMessages(reply) ?? []).at(-1)?.result?.structuredContent?.outcome;
  // An accepted answer must also be processed.
  if (outcome?.status === 'working') found.push(`${gateway.name}: the task never ended`);
  found.push(...faults);
  if (parked.taskId)
    await environment.callToolForContent(gateway, 'cancel_task', { taskId: parked.taskId }).catch(() => {});
  return found;
}

test.each(Object.keys(HOSTILE))(
  'an answer of %s never blocks, leaks or leaves its task working',
  async (name) => {
    const data = HOSTILE[name]?.();
    expect(await answer(data)).toEqual([]);
    // The project must still be readable.
    const { gateway } = environment;
    const view = await environment.callToolForContent(gateway, 'get_tasks', { projectRoot: 'answers' });
    expect(view.error?.code ?? 'read').toMatch(/^(read|project_not_found)$/);
  },
);

test('a generated answer never blocks, leaks or leaves its task working', async () => {
  const { gateway } = environment;
  const parked = await environment.callToolForContent(gateway, 'parse_prd', {
    prd: 'A shop',
    projectRoot: 'answers',
    force: true,
  });
  const schema = parked.llmRequestForAgent.schema;
  const data = fc.oneof(
    mixedInputs(schema, {}),
    mixedInputs(schema, {}).map((object) => ({ object })),
    mixedInputs(schema, {}).map((object) => ({ text: `\`\`\`json\n${JSON.stringify(object)}\n\`\`\`` })),
  );
  await checkProperty(
    'answers',
    data,
    async (generated) => (generated === null ? [] : answer(generated)),
    1.5,
  );
  await environment.runCanary();
});
