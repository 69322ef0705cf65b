import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';

let baton: InProcessDeployment;
let one: Client;
let other: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  one = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await baton?.stop();
});

const echo = () => callTool(one, 'bench_echo', { text: 'hello' });
const answer = (client: Client, interactionId: string, data: unknown, more: object = {}) =>
  callTool(client, 'agent_llm', { interactionId, agentLLMResponse: successAnswer(data), ...more });

describe('the reply to an answer', () => {
  test('leads with what is wrong with an answer, and repeats the request only on demand', async () => {
    const { interactionId, taskId } = await echo();
    const args = { interactionId, agentLLMResponse: successAnswer({ object: { value: 7 } }) };
    const { content, structuredContent } = (await other.callTool({
      name: 'agent_llm',
      arguments: args,
    })) as AnyJson;
    const problem = 'value: Invalid input: expected string, received number';
    expect(content[0].text).toMatch(
      /^Rejected: value: Invalid input: expected string, received number; attempt 2 of 4\./,
    );
    const { outcome } = structuredContent;
    expect(Object.keys(outcome)[0]).toBe('problem');
    expect(outcome).toMatchObject({ problem, attempt: 2, mostAttempts: 4, status: 'input_required' });
    expect(outcome.pending).toMatchObject({ taskId, attempt: 2, operation: 'bench_echo' });
    expect(outcome.pending).not.toHaveProperty('llmRequestForAgent');
    expect(content[0].text).toContain(outcome.pending.interactionId);
    const repeated = await answer(one, interactionId, { object: { value: 7 } }, { repeat: true });
    expect(repeated).toMatchObject({ replayed: true, outcome: { problem } });
    const { interactions } = await callTool(one, 'pending_interactions', {
      interactionId: outcome.pending.interactionId,
    });
    expect(repeated.outcome.pending.llmRequestForAgent).toEqual(interactions[0].llmRequestForAgent);
    const again = await answer(one, outcome.pending.interactionId, { object: {} });
    expect(again.outcome).toMatchObject({
      attempt: 3,
      mostAttempts: 4,
      problem: expect.stringMatching(/^value/),
    });
    const errorDetails = { message: 'slow down', type: 'rate_limit_error' };
    const failed = {
      interactionId: again.outcome.pending.interactionId,
      agentLLMResponse: { status: 'error', errorDetails },
    };
    expect(
      (await callTool(one, 'agent_llm', failed)).outcome,
      'no answer, so none that is wrong',
    ).not.toHaveProperty('problem');
    await callTool(one, 'cancel_task', { taskId });
  });

  test('tells each of several agents what is wrong with its own answer, and of no other', async () => {
    const projectRoot = `rejected`;
    const tasks = ['One', 'Two', 'Three'].map((title) => ({ title, description: 'x' }));
    await callTool(one, 'initialize_project', { projectRoot, tasks });
    const asked = await callTool(one, 'expand_all', { projectRoot });
    const [first, second, third] = asked.pendingInteractions.map((pending: AnyJson) => pending.interactionId);
    const right = { subtasks: [{ id: 1, title: 'Part', description: 'y' }] };
    const [bad, worse, good] = await Promise.all([
      answer(other, third, { subtasks: [] }),
      answer(one, second, { subtasks: [{ id: 'x' }] }),
      answer(other, first, right),
    ]);
    expect(bad.outcome.problem).toMatch(/^subtasks: must hold at least one/);
    expect(bad.outcome.pending).toMatchObject({
      attempt: 2,
      interactionId: expect.not.stringMatching(first),
    });
    expect(worse.outcome.problem).toMatch(/^subtasks.0/);
    expect(worse.outcome.pending.interactionId).not.toBe(bad.outcome.pending.interactionId);
    expect(good.outcome).not.toHaveProperty('problem');
    const ids = [bad, worse].map(({ outcome }) => outcome.pending.interactionId);
    await answer(one, ids[0], right);
    const end = await answer(other, ids[1], right);
    expect(end.outcome).toMatchObject({ status: 'completed', result: { expandedCount: 3, failedCount: 0 } });
  });
});
