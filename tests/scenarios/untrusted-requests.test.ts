import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { callTool, connectMcpClient } from '../harness/mcp-client.ts';

/** What those who answer see of requests that others wrote. */
let baton: InProcessDeployment;
let caller: Client;
let agent: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  caller = await connectMcpClient(baton.url(0), await baton.createKey({ principal: 'caller' }));
  agent = await connectMcpClient(
    baton.url(1),
    await baton.createKey({ principal: 'agent', scopes: ['agent'] }),
  );
});
afterAll(async () => {
  await Promise.all([caller.close(), agent.close()]);
  await baton.stop();
});

const messages = [{ role: 'user', content: 'hello' }];
const delegate = (requestParameters: object | string) => {
  const details = { originalCommand: 'x', serviceType: 'generateText', requestParameters };
  return callTool(caller, 'agent_llm', { delegatedCallDetails: details });
};

test('a request says whose it is wherever it is shown, but in the reply to the call that made it', async () => {
  const origin = { principal: 'caller', trusted: false };
  const opened = await delegate({ messages });
  expect(opened).not.toHaveProperty('origin');
  const { interactionId, taskId } = opened;
  const listed = await callTool(agent, 'pending_interactions', {});
  expect(listed.interactions).toEqual([expect.objectContaining({ interactionId, origin })]);
  const shown = await callTool(agent, 'pending_interactions', { interactionId });
  expect(shown.interactions).toEqual([expect.objectContaining({ origin })]);
  expect((await callTool(caller, 'task_status', { taskId })).pending).toMatchObject({ origin });
  await callTool(caller, 'cancel_task', { taskId });
});

test('what says where or as whom to call is neither shown nor stored', async () => {
  const connection = { baseURL: 'http://x', api_key: 'k', headers: { a: 'b' }, extra_body: { c: 1 } };
  const { llmRequestForAgent, taskId } = await delegate({ messages, topP: 0.5, ...connection });
  expect(Object.keys(llmRequestForAgent).toSorted()).toEqual(['apiKey', 'messages', 'modelId', 'topP']);
  const { queries } = baton.store.tenant('acme');
  const stored = await queries.inspect({ principal: '', scopes: new Set(['agent']) }, taskId);
  expect(JSON.stringify(stored)).not.toMatch(/baseURL|api_key|headers|extra_body/);
  await callTool(caller, 'cancel_task', { taskId });
});
