import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient, callToolForError } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

let baton: InProcessDeployment;
let client: Client;

beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 2,
    lifetimes: { interaction: 300, task: 5_000 },
  });
  client = await connectMcpClient(baton.url(), baton.apiKey);
});
afterAll(() => baton.stop());

const echo = () => callTool(client, 'bench_echo', { text: 'hello' });

test('an interaction that nobody answers expires, and its task fails with interaction_expired', async () => {
  const { taskId, interactionId } = await echo();
  await expect
    .poll(async () => (await callTool(client, 'task_status', { taskId })).status, { timeout: 8_000 })
    .toBe('failed');
  const { error } = await callTool(client, 'task_status', { taskId });
  expect(error).toMatchObject({ code: 'interaction_expired', interactionId });
  expect(error.message).toContain('retry_task');
  const late = await callToolForError(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ value: 'late' }),
  });
  expect(late).toMatchObject({ code: 'interaction_expired', interactionId });
});

test('a task that does not end by its deadline fails with task_expired, and open waits return', async () => {
  const { taskId } = await callTool(client, 'bench_sleep', { ms: 600_000 });
  const stands = await callTool(client, 'task_status', { taskId, waitMs: 10_000 });
  expect(stands).toMatchObject({ status: 'failed', error: { code: 'task_expired' } });
});

test('an expired task is never listed as pending', async () => {
  const { taskId } = await echo();
  await expect
    .poll(async () => (await callTool(client, 'task_status', { taskId })).status, { timeout: 8_000 })
    .toBe('failed');
  expect((await callTool(client, 'pending_interactions', {})).interactions).toEqual([]);
});
