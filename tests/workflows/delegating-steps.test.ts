import { expect, test } from 'vitest';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

const steps = [
  { name: 'missing', tool: 'get_task', arguments: { id: 77 } },
  { name: 'tags', tool: 'list_tags' },
  { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } },
];

test('a step that delegates is recorded though the replica that parked it, and the worker, are gone when it is answered [workflow-child]', async () => {
  const fixture = await WorkflowFixture.start({ gateways: 2, workers: 1 });
  await fixture.put('gone', steps);
  const { taskId } = await fixture.run('gone');
  const { structured } = await fixture.continue(taskId, 'bench_echo', { text: 'b' });
  await fixture.clients[0].close();
  await fixture.baton.gateways[0]?.stop();
  await fixture.baton.workers[0]?.stop();
  const accepted = await callTool(fixture.clients[1], 'agent_llm', {
    interactionId: structured.interactionId,
    agentLLMResponse: successAnswer({ value: 'late' }),
    waitMs: 0,
  });
  expect(accepted.outcome.status).toBe('working');
  expect((await fixture.status(taskId, 1)).variables['_workflow.progress'].steps[2].status).toBe('delegated');
  await fixture.baton.addWorker();
  await callTool(fixture.clients[1], 'task_status', { taskId: structured.taskId, waitMs: 20_000 });
  const { variables } = await fixture.status(taskId, 1);
  expect(variables['_workflow.result.echo']).toMatchObject({ status: 'completed' });
  await fixture.stop();
});

test('a call as a task of MCP counts for a workflow too, when its task ends [workflow-child]', async () => {
  const fixture = await WorkflowFixture.start({ gateways: 2, workers: 1 });
  await fixture.put('as_task', steps);
  const { taskId } = await fixture.run('as_task');
  const client = await connectMcpClient(fixture.baton.url(1), fixture.key);
  const created: AnyJson = await client.request(
    {
      method: 'tools/call',
      params: { name: 'bench_echo', arguments: { text: 'b' }, task: {}, _meta: { _task_id: taskId } },
    },
    (await import('@modelcontextprotocol/sdk/types.js')).CreateTaskResultSchema,
  );
  expect(created._meta['baton/continuation']).toEqual({ recorded: true, step: 'echo', remaining: 3 });
  const status = await callTool(fixture.clients[0], 'task_status', {
    taskId: created.task.taskId,
    waitMs: 20_000,
  });
  await callTool(fixture.clients[0], 'agent_llm', {
    interactionId: status.pending.interactionId,
    agentLLMResponse: successAnswer({ value: 'x' }),
  });
  const { variables } = await fixture.status(taskId);
  expect(variables['_workflow.progress'].steps[2]).toMatchObject({ status: 'completed', source: 'client' });
  await client.close();
  await fixture.stop();
});
