import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { callTool, connectMcpClient } from '../harness/mcp-client.ts';

/** What a key of scope `agent` may do with another principal's task, over MCP (REST: `apps/gateway/src/rest/routes/tasks.test.ts`). */
let baton: InProcessDeployment;
let caller: Client;
const agents: Client[] = [];
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  caller = await connectMcpClient(baton.url(), await baton.createKey({ principal: 'caller' }));
  for (const scopes of [['agent'], ['mcp', 'agent']] as const) {
    const key = await baton.createKey({ principal: 'agent', scopes: [...scopes] });
    agents.push(await connectMcpClient(baton.url(), key));
  }
});
afterAll(() => baton?.stop());

test.each([0, 1])('key %i reads, claims and answers it, and never cancels or completes it', async (which) => {
  const agent = agents[which] as Client;
  const { taskId, interactionId } = await callTool(caller, 'bench_echo', { text: `for agent ${which}` });
  expect(await callTool(agent, 'task_status', { taskId })).toMatchObject({ status: 'input_required' });
  const { interactions } = await callTool(agent, 'pending_interactions', {
    claim: { max: 1, leaseMs: 60_000 },
  });
  expect(interactions).toMatchObject([{ interactionId, origin: { principal: 'caller' } }]);
  for (const [tool, args] of [
    ['cancel_task', { taskId }],
    ['complete_task', { taskId, result: { done: true } }],
  ] as const) {
    await expect(agent.callTool({ name: tool, arguments: args })).rejects.toThrow('insufficient_scope');
  }
  const agentLLMResponse = { status: 'success', data: { object: { value: 'x' } } };
  const { outcome } = await callTool(agent, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome).toMatchObject({ status: 'completed' });
  const own = await callTool(caller, 'bench_echo', { text: `of the caller ${which}` });
  expect(await callTool(caller, 'cancel_task', { taskId: own.taskId })).toMatchObject({
    status: 'cancelled',
  });
});
