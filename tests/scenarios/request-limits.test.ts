import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  callToolForError,
} from '../harness/mcp-client.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';

/** A delegated request is bounded wherever it is opened, and a large one says so. */
const MOST = 12_000;
let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 1,
    limits: { delegatedRequestBytes: MOST },
  });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

const inWords = (content: string, more: object = {}) => ({
  delegatedCallDetails: {
    originalCommand: 'ask',
    role: 'main',
    serviceType: 'generateText',
    requestParameters: { modelId: 'any', messages: [{ role: 'user', content }], ...more },
  },
});

const openTasks = async () => {
  const response = await fetch(`${baton.url(0)}/v1/tenants/acme/tasks`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as AnyJson).tasks;
};

async function plan(apiKey: string, projectRoot: string, large: (id: number) => boolean, count: number) {
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    description: 'Short.',
    details: large(at + 1) ? 'ü'.repeat(7_000) : '',
  }));
  const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

describe('a request over delegatedRequestBytes', () => {
  test.each([
    ['that a caller brings', 'agent_llm', inWords('long '.repeat(MOST / 5))],
    ['of an operation', 'parse_prd', { prd: 'long '.repeat(MOST / 5), projectRoot: 'too-long', force: true }],
  ])('%s is refused by limit, size and most, and leaves no task', async (_whose, tool, args) => {
    const before = await openTasks();
    const error = await callToolForError(client, tool, args);
    expect(error).toMatchObject({ code: 'limit_size', limit: 'delegatedRequestBytes', most: MOST });
    expect(error.bytes).toBeGreaterThan(MOST);
    expect(error.message).toContain(`${MOST}`);
    expect(await openTasks()).toEqual(before);
  });

  test('that exceeds the limit only by the feedback on an invalid answer fails the task with limit_size', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const details = inWords('Count.', { schema });
    details.delegatedCallDetails.serviceType = 'generateObject';
    const { interactionId, taskId } = await callTool(client, 'agent_llm', details);
    const agentLLMResponse = successAnswer({ object: { n: 'many '.repeat(MOST / 5) } });
    const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'limit_size', most: MOST } });
    expect((await callTool(client, 'pending_interactions', {})).interactions).toEqual([]);
    expect(await callTool(client, 'task_status', { taskId })).toMatchObject({ status: 'failed' });
  });

  test.each([
    ['at its start', 8],
    ['long after its start', 1],
  ])('of one task is listed by expand_all, and the others are split: %s', async (_when, atOnce) => {
    const projectRoot = `expanding-${atOnce}`;
    await plan(baton.apiKey, projectRoot, (id) => id % 2 === 0, 5);
    let asked = await callTool(client, 'expand_all', { projectRoot, atOnce });
    let end: AnyJson;
    for (let n = 0; n < 3; n++) {
      const agentLLMResponse = successAnswer({ subtasks: [{ id: 1, title: 'Part', description: 'What.' }] });
      const { interactionId } = asked;
      ({ outcome: end } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse }));
      asked = end.pending;
    }
    expect(end).toMatchObject({ status: 'completed', result: { expandedCount: 3, failedCount: 2 } });
    expect(end.result.failed).toMatchObject([
      { id: 2, code: 'limit_size' },
      { id: 4, code: 'limit_size' },
    ]);
    const { tasks } = await callTool(client, 'get_tasks', { projectRoot, withSubtasks: true });
    expect(tasks.map((task: AnyJson) => task.subtasks.length)).toEqual([1, 0, 1, 0, 1]);
  });

  test('never counts its call more than once, however many of its requests are too large', async () => {
    const apiKey = await baton.addTenant('slow', {
      delegatedRequestBytes: MOST,
      requestsPerSecond: 1,
      burst: 36,
    });
    await plan(apiKey, 'expanding', () => true, 20);
    const slow = await connectMcpClient(baton.url(0), apiKey);
    const { error } = await callTool(slow, 'expand_all', { projectRoot: 'expanding' });
    expect(error).toMatchObject({ code: 'limit_size' });
  });
});

test('a request over 20,000 estimated tokens has a warning wherever it is returned, a smaller one never', async () => {
  const apiKey = await baton.addTenant('wide');
  const wide = await connectMcpClient(baton.url(0), apiKey);
  const asked = await callTool(wide, 'agent_llm', inWords('ü'.repeat(39_800)));
  expect(asked.warning).toBeUndefined();
  const long = await callTool(wide, 'agent_llm', inWords('ü'.repeat(40_000)));
  expect(long.warning).toMatch(/about 200\d\d tokens/);
  expect(long.llmRequestForAgent.warning, 'the request itself is as it came').toBeUndefined();
  for (const { interactionId, warning } of [asked, long])
    expect((await callTool(wide, 'pending_interactions', { interactionId })).interactions).toEqual([
      expect.objectContaining(warning === undefined ? { status: asked.status } : { warning }),
    ]);
  expect((await callTool(wide, 'task_status', { taskId: long.taskId })).pending.warning).toBe(long.warning);
});
