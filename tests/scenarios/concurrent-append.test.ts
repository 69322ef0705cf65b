import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  callToolForError,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

let baton: InProcessDeployment;
let one: Client;
let other: Client;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  one = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(() => baton.stop());

const tasks = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: `${prefix} ${index + 1}`,
    description: 'd',
    dependencies: index ? [index] : [],
  }));

test('two concurrent appends are both stored, with distinct ids and their own dependencies', async () => {
  const projectRoot = 'race';
  const starts = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      callTool(n % 2 ? one : other, 'parse_prd', { prd: `Part ${n}`, append: true, projectRoot }),
    ),
  );
  const answers = await Promise.all(
    starts.map(({ interactionId }, n) =>
      callTool(n % 2 ? other : one, 'agent_llm', {
        interactionId,
        agentLLMResponse: successAnswer({ tasks: tasks(`P${n}`, 5) }),
      }),
    ),
  );
  expect(answers.map(({ outcome }) => outcome.status)).toEqual(Array(8).fill('completed'));
  const { tasks: all } = await callTool(one, 'get_tasks', { projectRoot });
  expect(all.map((task: AnyJson) => task.id)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  for (const { outcome } of answers) {
    const own = all.filter((task: AnyJson) => outcome.result.taskIds.includes(task.id));
    expect(own.map((task: AnyJson) => task.dependencies)).toEqual([
      [],
      ...outcome.result.taskIds.slice(0, 4).map((id: number) => [id]),
    ]);
  }
});

test('parse_prd without append is refused for a tag with tasks, before the request and again at the commit', async () => {
  const projectRoot = 'full';
  const [first, second] = await Promise.all([
    callTool(one, 'parse_prd', { prd: 'A', projectRoot }),
    callTool(other, 'parse_prd', { prd: 'B', projectRoot }),
  ]);
  const data = { tasks: tasks('T', 3) };
  const ends = [];
  for (const { interactionId } of [first, second]) {
    ends.push(
      (await callTool(one, 'agent_llm', { interactionId, agentLLMResponse: successAnswer(data) })).outcome,
    );
  }
  expect(ends[0].status).toBe('completed');
  expect(ends[1]).toMatchObject({ status: 'failed', error: { code: 'tag_not_empty' } });
  const refused = await callToolForError(one, 'parse_prd', { prd: 'C', projectRoot });
  expect(refused.code).toBe('tag_not_empty');
  expect(refused.message).toContain('3');
  expect((await callTool(one, 'get_tasks', { projectRoot })).tasks).toHaveLength(3);
});
